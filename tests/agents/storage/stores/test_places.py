"""Addresses of stores."""

from pathlib import Path

import pytest

from agents.storage.stores.places import absolute


def test_an_address_means_the_same_wherever_a_command_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is noted of one disk is not taken for another of the same relative name."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "one")
    assert absolute("disk") == absolute("./disk/") == absolute(str(tmp_path / "one" / "disk"))
    assert absolute("cluster:archive") == f"cluster:{tmp_path}/one/archive"
    assert absolute("a,b") == f"{tmp_path}/one/a,{tmp_path}/one/b"
    assert absolute("s3://bucket/a") == "s3://bucket/a"
    here = absolute("disk")
    monkeypatch.chdir(tmp_path / "two")
    assert absolute("disk") != here
