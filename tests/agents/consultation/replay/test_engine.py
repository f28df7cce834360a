"""The replay engine, which the operator fetches."""

import pytest

from agents.consultation.replay import engine
from agents.consultation.replay.engine import FILE, EngineMissing, engine_of, read_engine


def test_a_configured_file_or_that_of_the_archive_is_the_engine(tmp_path):
    """Its bytes are what is served."""
    (tmp_path / FILE).write_bytes(b"of the archive")
    (tmp_path / "other.js").write_bytes(b"configured")
    assert engine_of(None, tmp_path) == b"of the archive"
    assert engine_of(str(tmp_path / "other.js"), tmp_path) == b"configured"


def test_without_an_engine_it_is_said_how_to_get_one(tmp_path):
    """A file that is not there does not keep the agent from starting."""
    missing = engine_of(None, tmp_path)
    assert isinstance(missing, EngineMissing)
    assert FILE in str(missing) and "read-without-a-proxy" in str(missing)


def test_a_file_that_cannot_be_an_engine_is_refused(tmp_path, monkeypatch):
    """What is larger than any engine is not read into memory."""
    file = tmp_path / FILE
    file.write_bytes(b"x" * 11)
    monkeypatch.setattr(engine, "LIMIT", 10)
    with pytest.raises(EngineMissing, match="too large"):
        read_engine(file)
