"""What records mean to a reader of the archive."""

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import dates, origin
from agents.archive.importing.captures import Found, date_of, mapped
from agents.archive.importing.loading import captures_of
from agents.archive.importing.members import Member
from agents.capture import Capture
from agents.capture_records import readable_head, response_fields, status_of
from agents.posted import posted_url
from agents.storage.disk.lines import check

URL = "http://a.example/page?q=1"
KEY = "ab" * 32
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
TEXT = st.text(max_size=60)


def member(kind: str = "response", **more: Any) -> Member:
    """Return a record, its block read; `more` is fields, `_` for `-` in their names."""
    own = {name: more.pop(name) for name in ("head", "content", "size", "body") if name in more}
    fields = {"warc-target-uri": URL, "warc-date": "2020-02-03T04:05:06Z"}
    fields |= {name.replace("_", "-"): value for name, value in more.items()}
    given = {"head": HEAD, "content": KEY, "size": 5} | own
    return Member(kind, fields, **given)


def only(*group: Member) -> Found:
    """Return the one capture of an exchange."""
    [found] = mapped(group, "a.warc.gz").captures
    return found


def test_a_response_is_a_capture_as_received() -> None:
    """Head, content, date and what the record says of its coming are kept."""
    found = only(
        member(
            warc_record_id="<urn:uuid:1>",
            warc_ip_address="192.0.2.1",
            warc_protocol="h2",
            warc_truncated="length",
        )
    )
    assert found.url == URL and found.date == "20200203040506000000"
    assert (found.content, found.size, found.status, found.head) == (KEY, 5, 200, HEAD)
    assert dict(origin.fields(found.origin)) == {
        "import": "a.warc.gz",
        "record-id": "<urn:uuid:1>",
        "address": "192.0.2.1",
        "protocol": "h2",
        "truncated": "length",
    }


def test_a_target_is_made_canonical() -> None:
    """Brackets of older versions, fragments and capitals of hosts are not part of a name."""
    assert only(member(warc_target_uri="<HTTP://A.Example:80/x#y>")).url == "http://a.example/x"


@pytest.mark.parametrize(
    "fields",
    [
        {"warc_target_uri": "dns:a.example"},
        {"warc_target_uri": "urn:x:y"},
        {"warc_target_uri": ""},
        {"warc_date": "yesterday"},
        {"warc_date": "2020-02-30T00:00:00Z"},
        {"head": b""},
        {"head": b"HTTP/1.1 304 Not Modified\r\n\r\n"},
        {"content": ""},
        {"kind": "conversion"},
        {"kind": "metadata"},
        {"kind": "warcinfo"},
    ],
)
def test_what_has_no_place_among_captures_is_only_kept(fields: dict[str, Any]) -> None:
    """Nothing is invented for a record without URL, date, head or content, or of other kinds."""
    found = mapped([member(**fields)], "a.warc")
    assert not found.captures and not found.repeats and found.kept == [True] and not found.problems
    assert found.only_kept == (fields.get("kind", "response") == "response")


def test_an_answer_to_post_is_named_by_what_was_sent() -> None:
    """The request may come before its answer or after it."""
    head = b"POST /page?q=1 HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
    request = member("request", head=head, body=b"a=1", content="")
    wanted = posted_url(URL, "POST", "application/x-www-form-urlencoded", b"a=1")
    for group in ([request, member()], [member(), request]):
        found = only(*group)
        assert found.url == wanted != URL
        assert origin.value(found.origin, "method") == "POST"
    asked = member("request", head=b"GET /page?q=1 HTTP/1.1\r\n\r\n", body=b"", content="")
    assert only(member(), asked).url == URL


def test_a_resource_is_given_a_head() -> None:
    """It says the media type, and the origin says that there was none."""
    found = only(member("resource", head=b"", content_type="image/png"))
    assert found.head == b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    assert origin.value(found.origin, "record") == "resource"
    evil = only(member("resource", head=b"", content_type="a\r\nSet-Cookie: b"))
    assert evil.head == b"HTTP/1.1 200 OK\r\n\r\n"


def test_a_revisit_waits_for_its_content() -> None:
    """It says by which digest, and which capture it repeats."""
    [found] = mapped(
        [
            member(
                "revisit",
                content="",
                warc_profile="http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
                warc_payload_digest="sha1:" + "A" * 32,
                warc_refers_to_target_uri="http://b.example/",
                warc_refers_to_date="2019-01-01T00:00:00Z",
            )
        ],
        "a.warc",
    ).repeats
    assert found.digests == [("sha1", bytes(20))]
    assert (found.url, found.date) == ("http://b.example/", "20190101000000000000")
    assert not found.headless and found.capture.head == HEAD
    revisit = origin.revisit_of(found.capture.origin)
    assert revisit == origin.Revisit("identical-payload", found.date, found.url)


def test_a_revisit_of_an_answer_304_takes_the_head_of_the_other() -> None:
    """A reader wants the page, and not to hear that it has not changed."""
    [found] = mapped(
        [
            member(
                "revisit",
                content="",
                head=b"HTTP/1.1 304 Not Modified\r\n\r\n",
                warc_profile="http://netpreserve.org/warc/1.0/revisit/server-not-modified",
                warc_refers_to_date="2019-01-01T00:00:00Z",
            )
        ],
        "a.warc",
    ).repeats
    assert found.headless and not found.capture.head and found.url == URL
    assert origin.value(found.capture.origin, "revisit") == "not-modified 20190101000000000000"


ORIGIN = "crawl: c-1\nsite: a\nagent: x\naddress: 192.0.2.1:80\n"


def test_what_this_archive_exported_comes_back_as_it_was() -> None:
    """The origin is taken over as it is, with URL and metadata, and the record not kept again."""
    posted = posted_url(URL, "POST", "text/plain", b"{}")
    sent = b"POST /page?q=1 HTTP/1.1\r\nContent-Length: 2\r\n\r\n"
    told = ORIGIN + origin.lines_of_reader(sent, b"{}")
    result = mapped(
        [
            member(
                dlweb_origin=json.dumps(told),
                dlweb_url=posted,
                dlweb_metadata="12.5",
                warc_date="2020-02-03T04:05:06.123456Z",
            ),
            member("request", head=sent, body=b"{}", content="", dlweb_origin='""'),
        ],
        "a.warc",
    )
    [found] = result.captures
    assert (found.url, found.origin, found.metadata) == (posted, told, "12.5")
    assert found.date == "20200203040506123456"
    assert result.kept == [False, False] and not result.problems


def test_a_304_of_this_archive_comes_back_and_a_forged_one_does_not() -> None:
    """An export that is imported again gives the same captures; other files say what is not new."""
    head = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    assert only(member(head=head, dlweb_origin=json.dumps(ORIGIN))).status == 304
    forged = mapped([member(head=head, dlweb_origin="no JSON")], "a.warc")
    assert not forged.captures and forged.kept == [True] and forged.problems


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"", 0),
        (b"", 200),
        (HEAD, 404),
        (HEAD, 200),
        (b"HTTP/2 204\r\n\r\n", 204),
        (b"ICY 200 OK\r\n\r\n", 200),
    ],
)
@pytest.mark.parametrize("kind", ["response", "revisit"])
def test_head_and_status_of_an_export_come_back(kind: str, head: bytes, status: int) -> None:
    """As the archive had them, whatever stands in the head of the record; not another's."""
    one = Capture(URL, "20200203040506000000", KEY, 5, status, head, ORIGIN)
    readable, edits = readable_head(head)
    assert readable.startswith(b"HTTP/1.1 ")
    said = {key.lower().replace("-", "_"): told for key, told in response_fields(one, {}, edits)}
    said["warc_profile"] = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    result = mapped([member(kind, head=readable, **said)], "a.warc")
    [found] = result.captures or [each.capture for each in result.repeats]
    assert (found.head, found.status, result.kept) == (head, status, [False])
    assert not any(each.headless for each in result.repeats)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_revisit_of_another_protocol_is_kept(head: bytes) -> None:
    """`ICY 200 OK` is no head of HTTP: the block stays with the kept record."""
    result = mapped([member("revisit", head=head, content="", size=0)], "a.warc")
    assert result.kept == [True]
    assert [each.headless for each in result.repeats] == [not head]
    result = mapped([member("revisit", head=head, dlweb_origin=json.dumps(ORIGIN))], "a.warc")
    assert result.kept == [not head]


@pytest.mark.parametrize(
    "forged",
    [
        member("request", head=b"GET /else HTTP/1.1\r\n\r\n", content="", dlweb_origin='""'),
        member("request", head=b"GET / HTTP/1.1\r\n\r\n", content=""),
        member("metadata", head=b"", content="", dlweb_origin='""'),
        member("warcinfo", head=b"", content="", dlweb_origin=json.dumps(ORIGIN)),
        member("conversion", dlweb_origin=json.dumps(ORIGIN)),
        member(dlweb_origin=json.dumps(ORIGIN), warc_date="yesterday"),
        member("response", head=b"", dlweb_origin=json.dumps(ORIGIN)),
        member("resource", dlweb_origin=json.dumps(ORIGIN), warc_target_uri="urn:x"),
    ],
)
def test_a_record_that_only_claims_to_be_made_again_is_kept(forged: Member) -> None:
    """Alone, and beside a capture that can be; whose own record is not."""
    assert mapped([forged], "a.warc").kept == [True]
    sent = member(
        dlweb_origin=json.dumps(ORIGIN + origin.request_lines(b"GET / HTTP/1.1\r\n\r\n", ()))
    )
    assert mapped([sent, forged], "a.warc").kept == [False, True]


def test_a_segment_is_no_capture() -> None:
    """A part of a body is not what the server answered: it is kept, and told."""
    result = mapped([member(warc_segment_number="1")], "a.warc")
    assert not result.captures and result.kept == [True]
    assert "segments" in result.problems[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"dlweb_origin": "no JSON"},
        {"dlweb_origin": json.dumps("import: other.warc\n")},
        {"dlweb_origin": "[" * 10_000},
        {"dlweb_origin": '"no line"'},
        {"dlweb_origin": json.dumps("a: b\nc: d\x00\n")},
        {"dlweb_origin": json.dumps("a: \ud800\n")},
        {"dlweb_origin": json.dumps("a: " + "x" * 1_000_000 + "\n")},
        {"dlweb_origin": json.dumps(ORIGIN), "dlweb_url": "file:///etc/passwd"},
        {"dlweb_origin": json.dumps(ORIGIN), "dlweb_metadata": "x" * 17},
        {"dlweb_origin": json.dumps(ORIGIN), "dlweb_metadata": "a\nb"},
        {"dlweb_origin": json.dumps(ORIGIN), "dlweb_status": "-1"},
        {"dlweb_origin": json.dumps(ORIGIN), "dlweb_status": "1000"},
        {"dlweb_origin": json.dumps(ORIGIN), "dlweb_status": "\u0663"},
    ],
)
def test_what_no_archive_writes_is_not_taken_over(fields: dict[str, str]) -> None:
    """The record is imported as any other, kept, and told."""
    result = mapped([member(**fields)], "a.warc")
    assert origin.value(result.captures[0].origin, "import") == "a.warc"
    assert result.captures[0].url == URL and result.kept == [True] and result.problems


@given(
    st.sampled_from(["response", "resource"]),
    st.dictionaries(
        st.sampled_from(
            [
                "warc_target_uri",
                "warc_date",
                "warc_record_id",
                "warc_protocol",
                "content_type",
                "dlweb_origin",
                "dlweb_url",
                "dlweb_metadata",
            ]
        ),
        TEXT | TEXT.map(json.dumps) | st.just(URL) | st.just("2020-02-03"),
    ),
    st.binary(max_size=80) | st.just(HEAD),
    TEXT,
)
def test_every_capture_fits_the_store(
    kind: str, fields: dict[str, str], head: bytes, name: str
) -> None:
    """Whatever a record says, what is made of it is a capture that the store takes."""
    for each in captures_of(mapped([member(kind, head=head, **fields)], name).captures):
        check(each)


@given(st.datetimes(min_value=datetime(1000, 1, 1)))
def test_dates_of_records_are_read(moment: datetime) -> None:
    """To the second, to the microsecond, and to what lies beyond, which is cut off."""
    date = dates.from_datetime(moment)
    assert date_of(moment.isoformat(timespec="seconds") + "Z") == f"{date[:14]}000000"
    assert date_of(moment.isoformat(timespec="microseconds") + "Z") == date
    assert date_of(moment.isoformat(timespec="microseconds") + "789Z") == date
    assert date_of(date[:4]) == f"{date[:4]}0101000000000000"


def test_a_status_is_read_from_any_head() -> None:
    """Of HTTP/1, of HTTP/2 as this archive writes it, and of what is none."""
    assert status_of(b"HTTP/1.1 404 Not Found\r\n") == 404
    assert status_of(b"HTTP/2 200\r\n") == 200
    assert status_of(b"ICY 200 OK\r\n") == 200
    assert status_of(b"HTTP/1.1 20000\r\n") == status_of(b"") == 0
