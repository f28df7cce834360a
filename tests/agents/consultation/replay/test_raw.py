"""The fields of a capture as it was received."""

from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.replay.raw import raw_fields

URL = "http://www.example.org/"


def fields(head: bytes) -> dict[bytes, bytes]:
    """Return what goes out for a head."""
    return dict(raw_fields(head, URL, "2026", "id_"))


def test_what_tells_of_the_bytes_stays_and_the_rest_is_of_the_past():
    """A cookie or policy of the past does not count for the replay's own host."""
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Encoding: gzip\r\n"
        b"Set-Cookie: a=1\r\nStrict-Transport-Security: max-age=1\r\nServer: x\r\n"
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    found = fields(head)
    assert found.pop(b"Content-Security-Policy")
    assert found == {
        b"Content-Type": b"text/css",
        b"Content-Encoding": b"gzip",
        b"X-Archive-Orig-Set-Cookie": b"a=1",
        b"X-Archive-Orig-Strict-Transport-Security": b"max-age=1",
        b"X-Archive-Orig-Server": b"x",
    }


def test_a_redirection_stays_in_the_archive():
    """It leads to the same place at the same date and form; the word of the past is kept too."""
    found = fields(b"HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n")
    assert found[b"Location"] == b"/web/2026id_/http://www.example.org/there"
    assert found[b"X-Archive-Orig-Location"] == b"/there"


def test_a_redirection_to_no_web_page_leads_nowhere():
    """A script in a Location is not sent on."""
    found = fields(b"HTTP/1.1 302 Found\r\nLocation: javascript:alert(1)\r\n\r\n")
    assert b"Location" not in found


def test_a_page_opened_by_itself_is_shut_in():
    """No script of it runs; only a PDF, which no sandbox shows, goes without."""
    assert b"sandbox" in fields(b"HTTP/1.1 200 OK\r\n\r\n")[b"Content-Security-Policy"]
    pdf = fields(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n")
    assert b"Content-Security-Policy" not in pdf


@given(st.binary(max_size=300))
def test_no_head_speaks_for_the_replay_itself(lines):
    """Whatever a head says, none of its fields sets a cookie, a policy or a framing of today."""
    head = b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n\r\n"
    names = [name.lower() for name, _ in raw_fields(head, URL, "2026", "id_")]
    assert names.count(b"content-security-policy") <= 1
    assert not {b"set-cookie", b"refresh", b"link", b"content-length", b"connection"} & {*names}
