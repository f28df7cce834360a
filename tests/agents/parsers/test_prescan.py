"""What first bytes declare, case by case of the HTML standard's algorithm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.parsers.prescan import declared_label


@pytest.mark.parametrize(
    ("prefix", "label"),
    [
        ("<meta charset=a>", "a"),
        ("<META/CHARSET = 'a' />", "a"),
        ("<meta x='>' charset=a>", "a"),
        ("<meta charset=a charset=b>", "a"),
        ("<meta charset=''><meta charset=b>", "b"),
        ("<metacharset=a>", None),
        ("<metas charset=a>", None),
        ("</meta charset=a>", None),
        ("<meta charset=a", None),
        ("<meta charset='a", None),
        ("<!-- <meta charset=a> --><meta charset=b>", "b"),
        ("<!--><meta charset=a>-->", "a"),
        ("<!-- <meta charset=a>", None),
        ("<p title='<meta charset=a>'><meta charset=b>", "b"),
        ('<p title="\'"><meta charset=b>', "b"),
        ("</p title='<meta charset=a>'><meta charset=b>", "b"),
        ("<!doctype <meta charset=a><meta charset=b>", "b"),
        ("<?x <meta charset=a><meta charset=b>", "b"),
        ("</ <meta charset=a><meta charset=b>", "b"),
        ("<script>'<meta charset=a>'</script>", "a"),
        ("< meta charset=a><3", None),
        ("<meta http-equiv=Content-Type content='text/html; charset=a'>", "a"),
        ("<meta content='charset = \"a b\"' http-equiv=content-type>", "a b"),
        ("<meta http-equiv=content-type content=\"x charset='a'b\">", "a"),
        ("<meta http-equiv=content-type content='charset charset=a;b'>", "a"),
        ("<meta http-equiv=content-type content='charset=\"a'>", None),
        ("<meta content='text/html; charset=a'>", None),
        ("<meta http-equiv=refresh content='charset=a'>", None),
        ("<meta http-equiv=content-type content='charset=a' charset=b>", "b"),
        ("<?xml version='1.0' encoding='a'?>", "a"),
        ("<?xml version='1.0' encoding='a'?><meta charset=b>", "b"),
        ("<\0?\0x\0m\0", "utf-16le"),
        ("\0<\0?\0x", "utf-16be"),
        ('@charset "a";', "a"),
        ('@charset "a"', None),
        ("", None),
    ],
)
def test_declared(prefix: str, label: str | None) -> None:
    """Only a whole meta element outside comments and attributes declares."""
    assert declared_label(prefix.encode()) == label


PIECES = st.sampled_from(
    ["<meta ", "charset=", "a", "'", '"', ">", "<!--", "-->", "<", "/", " ", "content=", "<?xml ",
     "http-equiv=content-type", "encoding=", "\0", "\xff"]
)  # fmt: skip


@given(st.lists(PIECES).map("".join))
def test_any_bytes(prefix: str) -> None:
    """No bytes raise."""
    declared_label(prefix.encode("latin-1"))


@pytest.mark.parametrize("hostile", ["<!--", "<a ", "<meta a='", "<a a=", "<", "<!", "<a/"])
def test_hostile_beginnings_are_quick(hostile: str) -> None:
    """The first bytes of no document take long."""
    prefix = (hostile * 1024)[:1024].encode()
    assert processor_seconds(lambda: declared_label(prefix)) < 0.2
