"""What a storage node's page and figures tell of its mirror."""

from pathlib import Path

import pytest
from twisted.internet.task import Clock

from agents.page import Badge, Figures, Note
from agents.storage.node import mirror_page
from agents.storage.node.mirroring import Mirroring


@pytest.fixture
def mirroring(tmp_path: Path) -> Mirroring:
    """Return a mirror that is not running."""
    address = "s3://bucket/prefix?endpoint=http://127.0.0.1:9&credentials=/etc/keys"
    return Mirroring(Clock(), list, address, tmp_path, 60.0)


def test_a_copy_that_runs_is_told(mirroring: Mirroring) -> None:
    """Where the mirror is, and that no whole copy has come to its end; nothing of credentials."""
    mirroring.figures.contents = 12
    [told] = mirror_page.sections(mirroring)
    assert isinstance(told, Figures)
    assert told.figures["contents copied"] == 12
    assert told.figures["where"] == "s3://bucket/prefix"
    assert told.figures["last whole copy"] == "none yet"
    assert told.figures["state"] == Badge("copying")


def test_a_mirror_that_is_behind_says_why_and_measures_it(mirroring: Mirroring) -> None:
    """The problem stands above the figures, and Prometheus can raise an alarm."""
    mirroring.problem = "s3://bucket/prefix does not answer"
    note, told = mirror_page.sections(mirroring)
    assert isinstance(note, Note) and "does not answer" in note.text
    assert isinstance(told, Figures) and told.figures["state"] == Badge("behind", "bad")
    measured = {figure.name: figure.read() for figure in mirror_page.figures(mirroring)}
    assert measured == {"mirror_runs": 0, "mirror_failing": 1, "mirror_lost": 0}


def test_a_mirror_that_is_whole_is_up_to_date(mirroring: Mirroring) -> None:
    """After a copy that came to its end."""
    mirroring.figures.doing, mirroring.ended, mirroring.runs = "", 1.0, 1
    [told] = mirror_page.sections(mirroring)
    assert isinstance(told, Figures) and told.figures["state"] == Badge("up to date", "good")
    assert str(told.figures["last whole copy"]).endswith(" ago")
