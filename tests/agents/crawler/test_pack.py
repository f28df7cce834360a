"""Small contents one after another in one file."""

import resource
from pathlib import Path

import pytest

from agents.crawler.pack import Pack


def test_a_full_disk_shifts_no_content(tmp_path: Path) -> None:
    """After a content that was written in part only, others still lie where the pack says."""
    pack = Pack(tmp_path / "pack")
    assert pack.append(b"a" * 1000) == 0
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            pack.append(b"b" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    begin = pack.append(b"c" * 10)
    pack.close()
    assert pack.path.read_bytes()[begin : begin + 10] == b"c" * 10
