"""Which records are of one exchange."""

from hypothesis import given
from hypothesis import strategies as st

from agents.archive.importing.members import MOST, Member, belongs
from anet.formats.record import Record

URL = "http://a.example/"


def member(kind: str, identifier: str = "", *concurrent: str, target: str = URL) -> Member:
    """Return a record's member."""
    fields = [("WARC-Target-URI", target), ("WARC-Record-ID", identifier)]
    fields += [("warc-concurrent-to", each) for each in concurrent]
    return Member.of(Record("WARC/1.1", kind, tuple(fields), 7, 0, None))


def test_records_that_say_so_are_of_one_exchange() -> None:
    """Either may name the other, and a third one of them."""
    response, request = member("response", "<r>"), member("request", "<q>", "<r>")
    assert belongs([response], request) and belongs([request], response)
    about = member("metadata", "<m>", "<q>")
    assert belongs([response, request], about)
    assert not belongs([response], member("request", "<q>", "<other>"))
    assert not belongs([response, request], member("metadata", "<n>"))


def test_records_that_say_nothing_belong_together_by_target_and_date() -> None:
    """Each kind once; two answers of one second are two exchanges."""
    assert belongs([member("request")], member("response"))
    assert not belongs([member("request")], member("response", target="http://b.example/"))
    assert not belongs([member("response")], member("response"))
    assert not belongs([], member("response"))


def test_an_exchange_has_a_limit_and_takes_no_other_kinds() -> None:
    """A file in which everything is concurrent to one record does not fill the memory."""
    group = [member("metadata", str(number), "0") for number in range(MOST)]
    assert not belongs(group, member("metadata", "x", "0"))
    assert not belongs([member("warcinfo", "<w>")], member("response", "<r>", "<w>"))
    assert not belongs([member("response", "<r>")], member("conversion", "<c>", "<r>"))


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=8))
def test_of_a_field_that_is_repeated_the_first_counts(fields: list[tuple[str, str]]) -> None:
    """Names are compared without regard to capitals, and values without white space around."""
    found = Member.of(Record("WARC/1.0", "Response", tuple(fields), 1, 0, None))
    assert found.kind == "response"
    for name, _ in fields:
        first = next(value for other, value in fields if other.lower() == name.lower())
        assert found.get(name.lower()) == first.strip()


def test_brackets_around_a_target_are_taken_off() -> None:
    """WARC 0.17 and 1.0 write them."""
    assert member("response", target=f"<{URL}>").target == URL
