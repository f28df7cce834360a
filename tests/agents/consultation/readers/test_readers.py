"""Readers keep their dates, a bounded number of them."""

from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.readers.readers import Readers


def test_each_reader_has_a_date():
    """One reader's date is not another's, and no date is the newest."""
    readers = Readers(10)
    readers.choose("192.0.2.1", date="20260101000000000000")
    assert readers.choice_of("192.0.2.1").date == "20260101000000000000"
    assert readers.choice_of("192.0.2.2").date == ""


def test_the_newest_is_no_date():
    """Choosing the newest forgets the date."""
    readers = Readers(10)
    readers.choose("192.0.2.1", date="20260101000000000000")
    readers.choose("192.0.2.1", date="")
    assert readers.choice_of("192.0.2.1").date == "" and len(readers) == 0


def test_the_least_recently_seen_is_forgotten():
    """A reader who goes on reading is kept."""
    readers = Readers(2)
    for reader in ("a", "b"):
        readers.choose(reader, date="1" * 20)
    assert readers.choice_of("a").date
    readers.choose("c", date="1" * 20)
    assert [bool(readers.choice_of(reader).date) for reader in "abc"] == [True, False, True]


@given(st.lists(st.tuples(st.text(max_size=2), st.sampled_from(["", "1" * 20]))))
def test_memory_is_bounded(choices):
    """However many readers come, no more than the limit are remembered."""
    readers = Readers(3)
    for reader, date in choices:
        readers.choose(reader, date=date)
        assert readers.choice_of(reader).date == date
        assert len(readers) <= 3
