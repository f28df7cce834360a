"""Delimitations: what belongs to a site, as INA's table writes it."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.delimitation import (
    LENGTH_LIMIT,
    PATTERN_LIMIT,
    Delimitation,
    InvalidExpression,
    guess,
    parse,
)
from agents.urls import canonical

TF1 = Delimitation.parse(
    "//tf1.fr OR //tf1.com OR .tf1.fr OR .tf1.com", "//eurosport.tf1.fr OR //eurosport.tf1.com"
)


@pytest.mark.parametrize(
    ("url", "internal"),
    [
        ("http://tf1.fr/", True),
        ("https://tf1.com/a", True),
        ("http://www.tf1.fr/", True),
        ("http://a.b.tf1.com/x", True),
        ("http://eurosport.tf1.fr/", False),
        ("http://www.eurosport.tf1.fr/", True),
        ("http://nottf1.fr/", False),
        ("http://tf1.fr.example.org/", False),
        ("http://example.org/?u=http://tf1.fr/", False),
        ("http://example.org/.tf1.fr/", False),
    ],
)
def test_table_of_the_paper(url: str, internal: bool) -> None:
    """INA's example delimits TF1 as a reader of the paper expects."""
    assert TF1.internal(url) is internal


@pytest.mark.parametrize(
    ("pattern", "url", "taken"),
    [
        ("//a.org/dir/", "http://a.org/dir/x", True),
        ("//a.org/dir/", "http://a.org/dir", False),
        ("//a.org/dir", "http://a.org/directory", True),
        ("//a.org", "http://a.org:81/", True),
        ("//a.org:81", "http://a.org:81/", True),
        ("//a.org:81", "http://a.org/", False),
        ("//a.org:80", "http://a.org/", True),
        ("//a.org:80", "https://a.org/", False),
        ("//a.org:443", "https://a.org/", True),
        ("//a.org:443", "http://a.org:443/", True),
        ("https://a.org", "http://a.org/", False),
        ("https://a.org", "https://a.org/", True),
        ("http://a.org:80", "http://a.org/", True),
        ("//A.ORG", "http://a.org/", True),
        ("//école.fr", "http://xn--cole-9oa.fr/", True),
        ("//[::1]:81", "http://[::1]:81/", True),
        ("//www*.a.org", "http://www3.a.org/", True),
        ("//www*.a.org", "http://www3.b.a.org/", True),
        ("//*.a.org", "http://a.a.org.b.a.org/", True),
        ("//*.a.org", "http://x/.a.org/", False),
        ("//*.a.org", "http://b.a.org.c/", False),
        (".a.org:81/x", "http://b.a.org:81/xy", True),
        (".a.org", "http://a.org/", False),
        ("/private/", "http://a.org/private/x", True),
        ("/private/", "http://a.org/x/private/", False),
        ("sessid=", "http://a.org/?sessid=1", True),
        ("*.pdf$", "http://a.org/x.pdf", True),
        ("*.pdf$", "http://a.org/x.pdf?y", False),
        ("*.pdf$", "http://a.org/a.pdf/x.pdf", True),
        ("//a.org/*/print/*.html$", "http://a.org/x/print/print/1.html", True),
        ("//a.org/*/print/*.html$", "http://a.org/print/1.html", False),
        ("//a.org/$", "http://a.org/", True),
        ("//a.org/$", "http://a.org/x", False),
        ("//a.org/x$", "http://a.org/x", True),
        (r"a\*b", "http://h/a*b", True),
        (r"a\*b", "http://h/axb", False),
        (r"b\$", "http://h/b$x", True),
        (r"a\ b", "http://h/a%20b", True),
        ("été", "http://h/%C3%A9t%C3%A9", True),
        ("/a?b", "http://h/a?b=1", True),
        ("a.c", "http://h/abc", False),
        ("/wiki/x_(y)", "http://h/wiki/x_(y)", True),
        ("*", "http://h/", True),
    ],
)
def test_patterns(pattern: str, url: str, taken: bool) -> None:
    """Each kind of pattern takes what the reference says."""
    assert canonical(url) == url
    assert parse(pattern).matches(url) is taken


@pytest.mark.parametrize(
    ("expression", "position", "reason"),
    [
        ("OR //a", 0, "expected a pattern"),
        ("//a OR", 6, "expected a pattern after OR"),
        ("//a //b", 4, "expected OR"),
        ("//a OR OR //b", 7, "expected a pattern"),
        ("//a AND //b", 4, "AND is not understood"),
        ("( //a )", 0, "not understood"),
        ("//", 2, "expected a host"),
        ("//a OR //b:x/", 9, "host or port"),
        ("//a OR //b..%/", 9, "not a host"),
        ("//a OR //b*é", 9, "beside *"),
        ("//a OR x\\", 8, "needs the character"),
    ],
)
def test_mistakes_are_located(expression: str, position: int, reason: str) -> None:
    """What can't be read is refused, with the place and what was expected."""
    with pytest.raises(InvalidExpression, match=re.escape(reason)) as caught:
        parse(expression)
    assert caught.value.position == position


def test_bounds() -> None:
    """An expression has a limited length and number of patterns."""
    with pytest.raises(InvalidExpression, match="longer"):
        parse("a" * (LENGTH_LIMIT + 1))
    with pytest.raises(InvalidExpression, match="patterns"):
        parse(" OR ".join(["a"] * (PATTERN_LIMIT + 1)))


def test_empty_expression_takes_nothing() -> None:
    """No pattern takes no URL."""
    assert not parse("").matches("http://a/")
    assert not parse(" \n").matches("http://a/")


@given(st.text(alphabet="/.:*$\\()OR abé[]?", max_size=40))
def test_any_text_parses_or_says_where_not(expression: str) -> None:
    """Any text gives an expression equal to its own rendering, or a located error."""
    try:
        parsed = parse(expression)
    except InvalidExpression as error:
        assert 0 <= error.position <= len(expression)
        return
    assert parse(str(parsed)) == parsed
    parsed.matches("http://a.b/c")


def _naive(pattern: str, url: str) -> bool:
    """Match a pattern of literals and `*` anywhere, the slow and obvious way."""
    fixed = pattern.endswith("$")
    regex = re.escape(pattern.rstrip("$")).replace(r"\*", ".*")
    return re.search(regex + (r"\Z" if fixed else ""), url) is not None


@given(
    st.text(alphabet="ab*", min_size=1, max_size=8).map(lambda text: "a" + text),
    st.booleans(),
    st.text(alphabet="ab", max_size=12),
)
def test_wildcards_match_as_a_backtracking_matcher_would(
    pattern: str, fixed: bool, path: str
) -> None:
    """Forgetting choices loses no match."""
    pattern += "$" * fixed
    url = f"http://h/{path}"
    assert parse(pattern).matches(url) == _naive(pattern, url)


def test_hostile_patterns_stay_linear() -> None:
    """Many wildcards over a long URL that does not match take no more than linear time."""
    hostile = parse("a*a*a*a*a*a*a*a*a*a*b$ OR //*a*a*a*a*a*.c OR *a*a*a*a*a*a*ab")
    start = time.process_time()
    assert not hostile.matches("http://" + "a" * 4000 + "/" + "a" * 4000)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("start_url", "inside", "outside"),
    [
        ("http://www.a.org/x", ["https://a.org/", "http://www.a.org/"], ["http://b.a.org/"]),
        ("http://a.org", ["https://www.a.org/x"], ["http://x.a.org/", "http://b.org/"]),
        ("http://127.0.0.1:81/", ["http://127.0.0.1:81/"], ["http://127.0.0.1:82/"]),
        ("http://[::1]:81/", ["http://[::1]:81/x"], ["http://[::1]:82/"]),
        ("http://localhost/", ["http://localhost/x"], ["http://www.localhost/"]),
        ("http://www.fr/", ["http://www.fr/"], ["http://fr/"]),
        ("http://a$b.org/", ["http://a$b.org/"], ["http://a/"]),
    ],
)
def test_guess(start_url: str, inside: list[str], outside: list[str]) -> None:
    """A site known by its URL is its host and the twin of that."""
    delimitation = Delimitation.parse(*guess(start_url))
    assert all(map(delimitation.internal, inside))
    assert not any(map(delimitation.internal, outside))


def test_guess_refuses_what_is_no_url() -> None:
    """Only http and https URLs start a site."""
    with pytest.raises(ValueError, match="not an http"):
        guess("mailto:a@example.org")
