"""Readers keep their dates, a bounded number of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.readers.kept import load, save
from agents.consultation.readers.reader import Choice
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


def test_choices_outlast_the_agent(tmp_path):
    """They are kept in a file, in the order in which readers were seen."""
    readers = Readers(2)
    for key in ("a", "b", "c"):
        readers.choose(key, date="1" * 20)
    readers.choose("b", language="fr", live=True)
    path = tmp_path / "folder" / "readers.json"
    save(path, readers.all())
    again = Readers(2)
    again.choose("c", date="2" * 20)
    again.restore(load(path))
    assert again.choice_of("b") == Choice("1" * 20, live=True, language="fr")
    assert again.choice_of("c").date == "2" * 20
    again.forget("c")
    assert again.choice_of("c") == Choice()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": {"date": 7}}', b"\xff"])
def test_a_damaged_file_of_choices_is_passed_over(tmp_path, content):
    """Readers choose again; the agent starts."""
    path = tmp_path / "readers.json"
    assert load(path) == {}
    path.write_bytes(content)
    assert load(path) == {}
