"""`dlweb export` and `dlweb import` as a person runs them: what goes out comes back, and again."""

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from agents.capture import Capture
from agents.posted import posted_url
from tests.agents.archive.exporting.conftest import Fill, capture
from tests.agents.archive.exporting.test_exporting import ALL, BODIES, contents
from tests.agents.archive.exporting.test_kept import CHUNKED, OTHERS, sha

DLWEB = Path(sys.executable).with_name("dlweb")
ASKED = "POST /form HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\n"
POSTED = capture(
    posted_url("http://a.example/form", "POST", "application/x-www-form-urlencoded", b"a=b"),
    "20260106",
    b"answer",
    origin=f'method: POST\nrequest: {json.dumps(ASKED)}\nrequest-body: "a=b"\n',
    head=b"HTTP/1.1 200 OK\r\nX-Orig-Transfer-Encoding: a\r\n\ttransfer-encoding: b\r\n\r\n",
)
CUT = capture("https://a.example/cut", "20260107", b"half", origin="truncated: time\n")


def dlweb(*words: object, status: int = 0) -> dict[str, Any]:
    """Run a command, and return what it says as JSON."""
    line = [str(DLWEB), *map(str, words), "--json"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)  # noqa: S603
    assert done.returncode == status, done.stderr + done.stdout
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def structures(disk: Path) -> dict[str, bytes]:
    """Return all structure files of a disk."""
    return {path.name: path.read_bytes() for path in disk.glob("structures/*/*/*")}


def urls(disk: Path) -> set[bytes]:
    """Return the URLs that a disk has captures of, but for records that are kept."""
    found = structures(disk).items()
    heads = (data.partition(b"\n")[0] for name, data in found if name.endswith(".heads"))
    return {head.split()[2] for head in heads if b" warc:" not in head}


@ensureDeferred
async def test_an_export_gives_the_same_archive_again(fill: Fill, tmp_path: Path) -> None:
    """Imported into an empty archive it makes the same structure files, byte for byte."""
    captures = [*ALL, POSTED, CUT]
    await fill(captures, [*BODIES, b"answer", b"half"])
    out, again = tmp_path / "out", tmp_path / "again"
    told = dlweb("export", "--source", tmp_path / "disk", "--output", out)
    assert (told["captures"], told["well"]) == (len(captures), True)
    dlweb("import", out, "--to", again, "--archive", tmp_path / "var")
    assert structures(again) == structures(tmp_path / "disk")


def wget_like(path: Path) -> list[bytes]:
    """Write a file such as others make, with damage in its midst; return its sound records."""
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED
    request = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
    revisit = b"HTTP/1.1 200 OK\r\nETag: 1\r\n\r\n"
    about = ["WARC-Target-URI: <http://a.example/>", "WARC-Date: 2020-01-02T03:04:05Z"]
    image = ["WARC-Target-URI: <http://a.example/image>", about[1]]
    http = "Content-Type: application/http;msgtype="
    profile = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
    refers = [
        "WARC-Refers-To-Target-URI: http://a.example/",
        "WARC-Refers-To-Date: " + about[1][11:],
    ]
    body = CHUNKED.split(b"\r\n")
    payload = f"WARC-Payload-Digest: {sha(body[1] + body[3])}"
    concurrent = f"WARC-Concurrent-To: {identity(2)}"
    records = [
        warc_record(1, "warcinfo", about[1:], b"software: Wget/1.21\r\n"),
        warc_record(2, "response", [*about, payload, http + "response"], block),
        warc_record(3, "request", [*about, concurrent, http + "request"], request),
        warc_record(4, "metadata", [*about, concurrent], OTHERS),
        warc_record(5, "revisit", [*about, profile + "server-not-modified", *refers], b""),
        warc_record(
            6,
            "revisit",
            [
                "WARC-Target-URI: <http://b.example/>",
                about[1],
                profile + "identical-payload-digest",
                *refers,
                payload,
                http + "response",
            ],
            revisit,
        ),
        warc_record(7, "conversion", [*about, "Content-Type: text/plain"], b"text"),
        warc_record(8, "resource", [*image, "Content-Type: image/gif"], b"GIF89a" * 300),
        warc_record(
            9,
            "response",
            ["WARC-Target-URI: dns:a.example", about[1], "Content-Type: text/dns"],
            b"A",
        ),
    ]
    members = [gzip.compress(record, mtime=0) for record in records]
    broken = gzip.compress(warc_record(10, "resource", about, random.Random(1).randbytes(5000)))
    members.insert(4, broken[:3000])
    path.write_bytes(b"".join(members))
    return records


def identity(number: int) -> str:
    """Return the identifier of a record."""
    return f"<urn:uuid:00000000-0000-0000-0000-{number:012}>"


def warc_record(number: int, kind: str, fields: list[str], block: bytes) -> bytes:
    """Return a record of WARC 1.0."""
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Record-ID: {identity(number)}", *fields]
    head = "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""])
    return head.encode() + block + b"\r\n\r\n"


def test_what_was_imported_is_given_again_record_for_record(tmp_path: Path) -> None:
    """Every sound record of somebody else's file comes out as the same bytes."""
    records = wget_like(tmp_path / "wget.warc.gz")
    there = ("--archive", tmp_path / "var")
    dlweb("import", tmp_path / "wget.warc.gz", "--to", tmp_path / "disk", *there, status=1)
    out = tmp_path / "out"
    dlweb("export", "--source", tmp_path / "disk", "--output", out, "--compression", "none")
    [path] = out.glob("*.warc")
    written = path.read_bytes()
    assert written[written.index(records[0]) :] == b"".join(records)
    dlweb("import", path, "--to", tmp_path / "again", *there)
    assert urls(tmp_path / "again") == urls(tmp_path / "disk")


@pytest.mark.slow
@ensureDeferred
async def test_a_killed_export_goes_on(fill: Fill, tmp_path: Path) -> None:
    """Killed at any moment and repeated, it leaves the files of one that was not killed."""
    chance = random.Random(7)
    bodies = [chance.randbytes(20_000) for _ in range(300)]
    captures: list[Capture] = [
        capture(f"http://a.example/{number}", f"2026{1 + number % 9:02}01", body)
        for number, body in enumerate(bodies)
    ]
    await fill(captures, bodies)
    words = ("export", "--source", tmp_path / "disk", "--size", "1M", "--output")
    dlweb(*words, tmp_path / "whole")
    line = [str(DLWEB), *map(str, words), str(tmp_path / "out")]
    kills = 0
    while True:
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        try:
            process.wait(0.3 + kills * 0.07)  # it takes about half a second to begin
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    assert process.returncode == 0
    assert kills  # it was killed before it had begun, if nowhere else
    there, expected = contents(tmp_path / "out"), contents(tmp_path / "whole")
    assert len(there) == len(expected)
    assert [records_of(each) for each in warcs(there)] == [
        records_of(each) for each in warcs(expected)
    ]
    assert not [path for path in (tmp_path / "out").rglob("*") if path.suffix == ".open"]


def warcs(files: dict[str, bytes]) -> list[bytes]:
    """Return the WARC files, in order."""
    return [files[name] for name in sorted(files) if name.endswith(".gz")]


def records_of(warc: bytes) -> bytes:
    """Return all records but the first, which names the file and its date."""
    whole = gzip.decompress(warc)
    return whole[whole.index(b"WARC/1.1\r\nWARC-Type: response") :]


@ensureDeferred
async def test_streams_come_back_with_the_places_of_their_dates(fill: Fill, tmp_path: Path) -> None:
    """Captures of one content with several offsets, logs, and what did not come by HTTP."""
    radio, camera, head = "http://a.example/live", "rtsp://a.example/live", b"ICY 200 OK\r\n\r\n"
    spoken = b"RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n"
    piece, log = b"sound" * 1000, b'{"stream":"http://a.example/live"}\n'
    captures = [
        capture(radio, "20260101000000", piece, head=head, metadata="0000000@00000000"),
        capture(radio, "20260101000030", piece, head=head, metadata="0030000@00002500"),
        capture(radio, "20260101000100", piece, head=head, metadata="0060000@00005000"),
        capture(f"stream-log:{radio}", "20260101000000", log),
        capture(camera, "20260101000000", piece, head=spoken, metadata="0000000@00000000"),
        capture(camera, "20260101000001", piece, head=spoken, metadata="0000010@00005000"),
    ]
    await fill(captures, [piece, log])
    out, again = tmp_path / "out", tmp_path / "again"
    dlweb("export", "--source", tmp_path / "disk", "--output", out)
    dlweb("import", out, "--to", again, "--archive", tmp_path / "var")
    assert structures(again) == structures(tmp_path / "disk")
