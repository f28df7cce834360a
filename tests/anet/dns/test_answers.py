"""What answers say, honest ones and others; no network."""

import struct
import time
from typing import Any

import pytest
from helpers_of_names import a, cname, record, soa
from hypothesis import example, given
from hypothesis import strategies as st
from twisted.names import dns

from anet.dns.answers import (
    LONGEST_TRAIL,
    MOST_ADDRESSES,
    Absent,
    Alias,
    Found,
    read_answer,
)
from anet.dns.question import Question
from anet.errors import ConnectFailed


def message(
    answers: Any = (), authority: Any = (), rcode: int = dns.OK, question: Question | None = None
) -> dns.Message:
    """Return an answer as it comes over the wire, TTLs written as they are."""
    made = dns.Message(question.number if question else 1, answer=1, rCode=rcode)
    if question:
        made.queries = [dns.Query(question.name, question.kind, dns.IN)]
    made.answers, made.authority = list(answers), list(authority)
    return made


def read(*answers: dns.RRHeader, authority: Any = (), rcode: int = dns.OK) -> Any:
    """Read an answer about the IPv4 addresses of site.test."""
    return read_answer(message(answers, authority, rcode), ("site.test",), dns.A)


def test_addresses_in_the_servers_order() -> None:
    """None comes twice, and the shortest time counts."""
    answers = (
        a("Site.TEST", "192.0.2.2", 60),
        a("site.test", "192.0.2.1"),
        a("site.test", "192.0.2.2"),
    )
    assert read(*answers) == Found(("192.0.2.2", "192.0.2.1"), 60)


def test_aliases_are_followed_in_any_order_of_records() -> None:
    """The aliases' times count too."""
    answers = a("c.test", "192.0.2.1"), cname("b.test", "c.test", 7), cname("site.test", "b.test")
    assert read(*answers) == Found(("192.0.2.1",), 7)


def test_addresses_of_other_names_are_not_believed() -> None:
    """A server that adds records nobody asked for puts nothing into the cache."""
    assert read(a("bank.test", "203.0.113.66")) == Absent(None)
    assert read(a("bank.test", "203.0.113.66"), a("site.test", "192.0.2.1")) == Found(
        ("192.0.2.1",), 300
    )


def test_records_of_another_class_are_none() -> None:
    """Addresses of the Chaosnet are not the Internet's."""
    chaos = dns.RRHeader("site.test", dns.A, dns.CH, 300, dns.Record_A("203.0.113.66"))
    assert read(chaos) == Absent(None)


def test_an_alias_without_its_addresses_is_to_be_asked() -> None:
    """The trail says what was met."""
    assert read(cname("site.test", "b.test", 30)) == Alias(("site.test", "b.test"), 30)


@pytest.mark.parametrize(
    ("minimum", "ttl", "kept"), [(60, 3600, 60), (3600, 60, 60), (2**31, 3600, 0)]
)
@pytest.mark.parametrize("rcode", [dns.OK, dns.ENAME])
def test_absence_is_kept_as_the_zone_says(minimum: int, ttl: int, kept: int, rcode: int) -> None:
    """RFC 2308: the lesser of the SOA record's own time and its minimum."""
    assert read(authority=[soa("test", minimum, ttl)], rcode=rcode) == Absent(kept)


def test_another_zone_has_no_say() -> None:
    """A SOA record of a zone that the name is not in is passed over; the root holds all."""
    assert read(authority=[soa("est", 60)], rcode=dns.ENAME) == Absent(None)
    assert read(authority=[soa("", 60)], rcode=dns.ENAME) == Absent(60)


def test_absence_at_the_end_of_aliases() -> None:
    """The zone of the last name says for how long, no longer than the alias is good."""
    answer = read(cname("site.test", "b.other", 5), authority=[soa("other", 60)])
    assert answer == Absent(5)


@pytest.mark.parametrize("rcode", [dns.EFORMAT, dns.ESERVER, dns.ENOTIMP, dns.EREFUSED, 9])
def test_servers_that_fail(rcode: int) -> None:
    """Another one is to be asked."""
    with pytest.raises(ConnectFailed, match=str(rcode)):
        read(rcode=rcode)


def test_lame_servers() -> None:
    """A server that only knows whom else to ask is of no use."""
    with pytest.raises(ConnectFailed, match="other servers"):
        read(authority=[record("test", dns.Record_NS("ns.test"))])


def test_aliases_in_a_circle() -> None:
    """They lead nowhere, whichever name they return to."""
    with pytest.raises(ConnectFailed, match="alias of itself"):
        read(cname("site.test", "b.test"), cname("b.test", "site.test"))
    with pytest.raises(ConnectFailed, match="alias of itself"):
        read(cname("site.test", "site.test"))


def test_aliases_without_end() -> None:
    """After fifteen of them the rest is not read."""
    names = ["site.test", *(f"n{number}.test" for number in range(100))]
    chain = [cname(*pair) for pair in zip(names, names[1:], strict=False)]
    assert isinstance(read(*chain[: LONGEST_TRAIL - 1]), Alias)
    with pytest.raises(ConnectFailed, match="more than 15"):
        read(*chain[:LONGEST_TRAIL])


def test_an_alias_that_is_no_name() -> None:
    """What cannot be asked is not."""
    target = cname("site.test", "x")
    target.payload.name.name = b"\xff\xfe"
    with pytest.raises(ConnectFailed):
        read(target)


def test_thousands_of_addresses() -> None:
    """Some are enough."""
    answer = read(*(a("site.test", f"10.0.{n // 256}.{n % 256}") for n in range(4000)))
    assert len(answer.addresses) == MOST_ADDRESSES


@given(st.integers(0, 2**32 - 1))
@example(2**31)
@example(2**31 - 1)
def test_times_to_live(ttl: int) -> None:
    """Those with the highest bit set mean none (RFC 2181)."""
    header = a("site.test", "192.0.2.1")
    header.ttl = ttl
    assert read(header).ttl == (ttl if ttl < 2**31 else 0)


def test_only_the_answer_to_the_question_is_one() -> None:
    """Another number, name, kind, or a question instead of an answer, is not."""
    question = Question("site.test", dns.A, 77)
    true = message([a("site.test", "192.0.2.1")], question=question)
    assert question.answer(true.toStr()) is not None
    for name, number, kind in (
        ("site.test", 78, dns.A),
        ("other.test", 77, dns.A),
        ("site.test", 77, dns.AAAA),
    ):
        false = message([a("site.test", "192.0.2.1")], question=Question(name, kind, number))
        assert question.answer(false.toStr()) is None
    assert question.answer(question.to_bytes()) is None
    assert question.answer(true.toStr()[:20]) is None


def test_a_complaint_need_not_repeat_the_question() -> None:
    """Servers that do not understand cannot; one that answers must."""
    question = Question("site.test", dns.A, 77)
    bare = dns.Message(77, answer=1, rCode=dns.EFORMAT)
    assert question.answer(bare.toStr()) is not None
    bare.rCode = dns.ENAME
    assert question.answer(bare.toStr()) is None


@given(st.binary(max_size=600), st.sampled_from([dns.A, dns.AAAA]))
def test_any_bytes(body: bytes, kind: int) -> None:
    """No datagram raises anything but the documented error."""
    question = Question("a", kind, 7)
    head = struct.pack("!HBB", 7, 0x80, 0)
    for data in (body, head[:2] + body, head + body):
        check(question, data)


@given(st.data())
def test_any_records(data: st.DataObject) -> None:
    """Nor do messages that are nearly right: any type, class, length and content of records."""
    question = Question("a", data.draw(st.sampled_from([dns.A, dns.AAAA])), 7)
    names = st.sampled_from(
        [b"\x01a\x00", b"\xc0\x0c", b"\x01b\x00", b"\x00", b"\xc0\x1c", b"\xc0\xff"]
    )
    types = st.sampled_from([1, 2, 5, 6, 12, 15, 16, 28, 33, 35, 41, 250]) | st.integers(0, 65535)
    contents = st.binary(max_size=30) | names
    record_bytes = st.builds(
        lambda name, kind, cls, ttl, content, extra: (
            name + struct.pack("!HHIH", kind, cls, ttl, max(0, len(content) + extra)) + content
        ),
        names, types, st.sampled_from([1, 1, 3, 255]), st.integers(0, 2**32 - 1), contents,
        st.sampled_from([0, 0, 0, -1, 1, 9]),
    )  # fmt: skip
    answers, authority = data.draw(st.lists(record_bytes)), data.draw(st.lists(record_bytes))
    rcode = data.draw(st.sampled_from([0, 0, 3]))
    head = struct.pack("!HBBHHHH", 7, 0x84, rcode, 1, len(answers), len(authority), 0)
    asked = b"\x01a\x00" + struct.pack("!HH", question.kind, 1)
    check(question, head + asked + b"".join(answers) + b"".join(authority))


def check(question: Question, data: bytes) -> None:
    """Read bytes as the answer to a question, and hold what comes to its promises."""
    answer = question.answer(data)
    if answer is None:
        return
    try:
        outcome = read_answer(answer, (question.name,), question.kind)
    except ConnectFailed:
        return
    assert outcome.ttl is None or 0 <= outcome.ttl < 2**31
    if isinstance(outcome, Found):
        assert 0 < len(outcome.addresses) <= MOST_ADDRESSES
    if isinstance(outcome, Alias):
        assert len(set(outcome.trail)) == len(outcome.trail) <= LONGEST_TRAIL


def test_names_that_point_to_a_long_one_do_not_hold_the_reactor() -> None:
    """A thousand of them in one message would take half a minute to follow."""
    question = Question("site.test", dns.A, 7)
    head = message([], question=question).toStr()
    long_name = b"\x01a" * 26_000 + b"\x00"
    fields = struct.Struct("!HHIH")
    records = b"\x00" + fields.pack(999, 1, 60, len(long_name)) + long_name
    pointer = struct.pack("!H", 0xC000 | len(head) + 11)
    records += (pointer + fields.pack(999, 1, 60, 0)) * 900
    data = head[:6] + struct.pack("!H", 901) + head[8:] + records
    assert len(data) < 65_536
    before = time.process_time()
    assert question.answer(data) is None
    assert time.process_time() - before < 5


def test_a_large_honest_answer_is_read() -> None:
    """Nine hundred addresses of a long name, as TCP brings them."""
    name = ".".join(["a-label-of-some-length"] * 3)
    question = Question(name, dns.A, 7)
    records = [a(name, f"192.0.{number // 256}.{number % 256}") for number in range(900)]
    large = message(records, question=question)
    large.maxSize = 0  # any
    answer = question.answer(large.toStr())
    assert answer is not None
    assert len(answer.answers) == 900
