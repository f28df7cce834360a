"""Cookies and tickets: good where, when and for what they were made, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.readers.tickets import Ticket, Tickets

TICKETS = Tickets(b"secret")
SAFE = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MADE = st.builds(
    Ticket,
    st.sampled_from(["asked", "given"]), SAFE, SAFE, SAFE, st.floats(1, 1e12), SAFE,
)  # fmt: skip


@given(MADE)
def test_a_ticket_is_read_as_it_was_written(ticket):
    """Once, and by the same archive after a restart as well."""
    text = TICKETS.write(ticket)
    again = Tickets(b"secret").read(text, ticket.step, ticket.host, ticket.address, 0.0)
    assert again == ticket
    assert text.isascii() and not set(text) & set("&#?=% ")


@given(MADE, st.sampled_from(["step", "host", "address", "late", "secret"]))
def test_a_ticket_is_for_one_purpose(ticket, wrong):
    """Another step, host, address, time or archive does not take it."""
    text = TICKETS.write(ticket)
    said = {"step": ticket.step, "host": ticket.host, "address": ticket.address}
    if wrong in said:
        said[wrong] += "x"
    tickets = Tickets(b"other") if wrong == "secret" else TICKETS
    assert tickets.read(text, **said, now=ticket.until if wrong == "late" else 0.0) is None


@given(MADE, st.integers(0, 10_000), st.characters())
def test_a_forged_ticket_is_refused(ticket, place, character):
    """Whatever character was changed."""
    text = TICKETS.write(ticket)
    place %= len(text)
    forged = text[:place] + character + text[place + 1 :]
    read = TICKETS.read(forged, ticket.step, ticket.host, ticket.address, 0.0)
    assert read is None or forged == text


@given(st.text(st.characters(codec="ascii", exclude_characters="."), min_size=1), SAFE)
def test_a_cookie_is_of_one_host(reader, host):
    """It names its reader there, and nobody elsewhere."""
    cookie = TICKETS.cookie(reader, host)
    assert TICKETS.reader_of(cookie, host) == reader
    assert TICKETS.reader_of(cookie, host + "x") is None
    assert TICKETS.reader_of("x" + cookie, host) is None


@pytest.mark.parametrize("text", ["", ".", "x", "x.y", "\ud800.\ud800", "é.é", "." * 50_000])
def test_anything_else_is_nobody(text):
    """However it is made."""
    assert TICKETS.reader_of(text, "a.example") is None
    assert TICKETS.read(text, "asked", "a.example", "192.0.2.1", 0.0) is None
