"""The log of what was asked: complete while the disk takes it, and never in the way of readers."""

import errno
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred

from agents.consultation.access import audit as audit_module
from agents.consultation.access import audit_file as audit_file_module
from agents.consultation.access.audit import Audit, shown_url
from agents.consultation.access.audit_file import FILES, AuditFile
from agents.consultation.readers.reader import Reader
from anet.http import Request, Response
from anet.http.message import Headers

URL = "http://www.example.org/"


def request(target=URL, reader=None, **fields):
    """Return a request."""
    pairs = [(name.encode(), value.encode()) for name, value in fields.items()]
    return Request("GET", target, Headers(pairs), "192.0.2.1", asker=reader)


def lines_of(path):
    """Return the lines of a log as values."""
    return [json.loads(line) for line in path.read_text().splitlines()]


class FullDisk(AuditFile):
    """A disk that is full while `full` is set."""

    full = True

    def write(self, lines):
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(lines)


@ensureDeferred
async def test_an_answer_is_a_line(reactor, tmp_path):
    """Who asked for what, and what was given; and nothing by which to pass for them."""
    path = tmp_path / "consultation" / "audit.jsonl"
    audit = Audit(reactor, AuditFile(path, 10_000))
    audit.start()
    anna = Reader("anna", "192.0.2.1", "anna")
    asked = request("http://anna:secret@a.example/x", anna, Cookie="s3cr3t", Authorization="s3cr3t")
    audit.note(asked, "hit", "20200101000000000000", Response(200, (), b"four"))
    audit.note(request(reader=Reader("~c00kie", "192.0.2.1")), "unknown")
    audit.event("rules", count=3)
    await audit.stop()
    first, second, third = lines_of(path)
    assert first.pop("date")[-1] == "Z"
    assert first == {
        "reader": "anna", "address": "192.0.2.1", "method": "GET", "url": "http://a.example/x",
        "capture": "20200101000000000000", "outcome": "hit", "status": 200, "bytes": 4,
    }  # fmt: skip
    assert (second["reader"], second["outcome"]) == ("", "unknown")
    assert (third["event"], third["count"]) == ("rules", 3)
    assert "secret" not in path.read_text() and "c00kie" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "target",
    [
        "http://a.example/.well-known/dlweb-reader?ticket=s3cr3t",
        "http://dlweb/reader?ticket=s3cr3t",
        "http://s3cr3t@a.example/",
        "s3cr3t@a.example:443",
        "/captures?url=http://s3cr3t:s3cr3t@a.example/",
        "/captures?url=http%3A%2F%2Fs3cr3t%3as3cr3t%40a.example/",
        "/web/2020id_/http:/s3cr3t@a.example/",
    ],
)
def test_what_lets_somebody_in_is_not_in_the_log(target):
    """Tickets, user names and passwords."""
    assert "s3cr3t" not in shown_url(target)


@pytest.mark.parametrize(
    "target",
    [
        "/web/2020id_/http://a.example/@somebody/post",
        "/web/2020id_/http://a.example/?mail=x@y.example",
        "/picture?url=http://a.example/hidden&date=2020&more=@",
        "/api/1/content?url=http://a.example/hidden%3Fx%40",
        "/content?url=a.example&date=2020@",
    ],
)
def test_no_sign_in_a_path_keeps_it_out_of_the_log(target):
    """A reader who adds an @ hides nothing."""
    assert shown_url(target) == target


@given(st.text())
def test_any_target_is_one_line(target):
    """Whatever is asked for."""
    audit = Audit(_Clock(), AuditFile(None, 1))
    audit.note(request(target), "refused")
    (line,) = audit._waiting
    assert line.endswith(b"\n") and line.count(b"\n") == 1 and json.loads(line)


class _Clock:
    def seconds(self):
        return 0.0


@ensureDeferred
async def test_a_full_disk_stops_no_reader(reactor, tmp_path, monkeypatch):
    """Lines wait within a limit, the others are counted, and the log says so when it can."""
    monkeypatch.setattr(audit_module, "QUEUE_LIMIT", 3)
    file = FullDisk(tmp_path / "audit.jsonl", 10_000)
    audit = Audit(reactor, file)
    audit.start()
    for _ in range(5):
        audit.note(request(), "hit")
    await audit.flush()
    assert (audit.waiting, audit.lost) == (3, 2) and "No space" in audit.trouble
    file.full = False
    await audit.flush()
    await audit.stop()
    lines = lines_of(tmp_path / "audit.jsonl")
    assert len(lines) == 4 and lines[-1]["lines"] == 2 and audit.trouble == ""


def test_a_log_has_a_size_and_a_number_of_files(tmp_path):
    """The oldest lines go first."""
    file = AuditFile(tmp_path / "audit.jsonl", 30)
    for number in range(100):
        file.write([b'{"number":%4d}\n' % number])
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == FILES - 1
    assert b"99" in (tmp_path / "audit.jsonl.1").read_bytes()
    assert all(path.stat().st_size <= 45 for path in tmp_path.iterdir())


def test_a_line_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    """What a full disk took of a line is taken back."""
    file = AuditFile(tmp_path / "audit.jsonl", 1000)
    file.write([b'{"number":1}\n'])
    write = os.write

    def half(descriptor, data):
        if len(data) < 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:8])

    monkeypatch.setattr(audit_file_module.os, "write", half)
    with pytest.raises(OSError, match="No space"):
        file.write([b'{"number":2}\n'])
    monkeypatch.undo()
    file.write([b'{"number":3}\n'])
    assert [line["number"] for line in lines_of(tmp_path / "audit.jsonl")] == [1, 3]
