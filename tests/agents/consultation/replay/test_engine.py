"""The replay engine, which the operator installs."""

import pytest

from agents.consultation.replay import engine
from agents.consultation.replay.engine import EngineMissing, engine_of, read_engine


def test_a_configured_file_is_the_engine(tmp_path):
    """Its bytes are what is served."""
    file = tmp_path / "sw.js"
    file.write_bytes(b"self")
    assert read_engine(str(file)) == b"self"


def test_without_an_engine_it_is_said_how_to_get_one(tmp_path, monkeypatch):
    """Neither a file that is not there nor a lacking package keeps the agent from starting."""
    missing = engine_of(str(tmp_path / "none.js"))
    assert isinstance(missing, EngineMissing) and "none.js" in str(missing)
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    missing = engine_of(None)
    assert isinstance(missing, EngineMissing) and "replay_engine" in str(missing)


def test_a_file_that_cannot_be_an_engine_is_refused(tmp_path, monkeypatch):
    """What is larger than any engine is not read into memory."""
    file = tmp_path / "sw.js"
    file.write_bytes(b"x" * 11)
    monkeypatch.setattr(engine, "LIMIT", 10)
    with pytest.raises(EngineMissing, match="too large"):
        read_engine(str(file))
