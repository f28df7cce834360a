"""Logs for people and for programs."""

import io
import json

from twisted.logger import Logger

from anet.logs import VARIABLE, observer


def written(monkeypatch, kind: str) -> str:
    """What an event and a failure look like in a log of a kind."""
    monkeypatch.setenv(VARIABLE, kind)
    file = io.StringIO()
    log = Logger("agents.test", observer=observer(file))
    log.warn("{count} nodes\nare away", count=2)
    try:
        raise RuntimeError("a failure for a test")
    except RuntimeError:
        log.failure("it failed")
    return file.getvalue()


def test_programs_get_one_object_a_line(monkeypatch):
    """Each event is a line of JSON, whatever its message holds; a failure has its traceback."""
    first, second = map(json.loads, written(monkeypatch, "json").splitlines())
    assert (first["level"], first["system"]) == ("warn", "agents.test")
    assert first["message"] == "2 nodes\nare away"
    assert first["time"].endswith("+00:00")
    assert "RuntimeError: a failure for a test" in second["traceback"]


def test_people_get_text(monkeypatch):
    """The default is Twisted's own form."""
    assert "[agents.test#warn] 2 nodes" in written(monkeypatch, "text")
