"""Delimitations: what belongs to a site, as INA's table writes it."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.delimitation import (
    LENGTH_LIMIT,
    NESTING_LIMIT,
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
        ("//a //b", 4, "expected AND or OR"),
        ("//a OR OR //b", 7, "expected a pattern"),
        ("//a AND", 7, "expected a pattern after AND"),
        ("NOT", 3, "expected a pattern after NOT"),
        ("//a NOT //b", 4, "expected AND or OR, found NOT"),
        ("NOT OR //b", 4, "expected a pattern, found OR"),
        ("( //a", 0, "this ( is not closed"),
        ("((//a OR //b)", 0, "this ( is not closed"),
        ("(", 1, "expected a pattern after ("),
        ("//a )", 4, "this ) closes nothing"),
        ("//a OR //b)", 10, "this ) closes nothing"),
        ("()", 1, "expected a pattern, found )"),
        ("(//a //b)", 5, "expected AND, OR or ), found //b"),
        ("NOT (//a OR //b..%/)", 14, "not a host"),
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
    with pytest.raises(InvalidExpression, match="patterns") as caught:
        parse(" OR ".join(["a"] * (PATTERN_LIMIT + 1)))
    assert caught.value.position == PATTERN_LIMIT * len("a OR ")
    assert parse("NOT " * NESTING_LIMIT + "a").matches("http://a/")
    for opening in ("NOT ", "(", "NOT ("):
        with pytest.raises(InvalidExpression, match="nested"):
            parse(opening * LENGTH_LIMIT if opening == "(" else opening * (NESTING_LIMIT + 1))


def test_empty_expression_takes_nothing() -> None:
    """No pattern takes no URL."""
    assert not parse("").matches("http://a/")
    assert not parse(" \n").matches("http://a/")


WORDS = st.sampled_from(
    ["AND ", "OR ", "NOT ", "(", ")", " ", "//a", ".b", "/c", "d", "\\", "*", "$"]
)


@given(
    st.text(alphabet="/.:*$\\()OR abé[]?", max_size=40) | st.lists(WORDS, max_size=20).map("".join)
)
def test_any_text_parses_or_says_where_not(expression: str) -> None:
    """Any text gives an expression equal to its own rendering, or a located error."""
    try:
        parsed = parse(expression)
    except InvalidExpression as error:
        assert 0 <= error.position <= len(expression)
        return
    assert parse(str(parsed)) == parsed
    parsed.matches("http://a.b/c")


# An expression as text, and what it takes by the slow and obvious way.
Known = tuple[str, Callable[[str], bool]]

PATHS = st.text(alphabet="abc/", max_size=6)
SPACES = st.sampled_from(["", " ", "\n  "])


def _of_pattern(text: str) -> Known:
    return (
        text,
        lambda url: text in url if text[0] != "/" else url[len("http://h") :].startswith(text),
    )


def _grouped(known: Known, space: str) -> Known:
    return f"({space}{known[0]}{space})", known[1]


def _negated(known: Known, space: str) -> Known:
    return f"NOT {space}({known[0]})", lambda url: not known[1](url)


def _joined(operator: str, parts: list[Known]) -> Known:
    test = all if operator == "AND" else any
    text = f" {operator} ".join(f"({part})" for part, _ in parts)
    return text, lambda url: test(takes(url) for _, takes in parts)


PATTERNS = st.from_regex(r"[abc/][abc/]{0,2}", fullmatch=True)
EXPRESSIONS = st.recursive(
    PATTERNS.filter(lambda text: not text.startswith("//")).map(_of_pattern),
    lambda inner: (
        st.builds(_grouped, inner, SPACES)
        | st.builds(_negated, inner, SPACES)
        | st.builds(
            _joined, st.sampled_from(["AND", "OR"]), st.lists(inner, min_size=1, max_size=3)
        )
    ),
    max_leaves=12,
)


@given(EXPRESSIONS, st.lists(PATHS, min_size=3, max_size=6))
def test_expressions_take_what_a_naive_evaluation_takes(known: Known, paths: list[str]) -> None:
    """AND, OR, NOT and parentheses mean what they say; written anew they mean the same."""
    expression, takes = known
    parsed = parse(expression)
    again = parse(str(parsed))
    assert again == parsed
    for path in paths:
        url = f"http://h/{path}"
        assert parsed.matches(url) is takes(url)
        assert again.matches(url) is takes(url)


@given(EXPRESSIONS, EXPRESSIONS, PATHS)
def test_de_morgan(one: Known, other: Known, path: str) -> None:
    """Neither is the same as not one and not the other; not both, as not one or not the other."""
    first, second, url = one[0], other[0], f"http://h/{path}"
    for operator, dual in (("OR", "AND"), ("AND", "OR")):
        joined = parse(f"NOT (({first}) {operator} ({second}))")
        spread = parse(f"NOT ({first}) {dual} NOT ({second})")
        assert joined.matches(url) is spread.matches(url)


@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ("a OR b AND c", "a OR ( b AND c )"),
        ("a AND b OR c", "( a AND b ) OR c"),
        ("NOT a AND b", "( NOT a ) AND b"),
        ("NOT a OR b", "( NOT a ) OR b"),
        ("(a OR (b OR c)) OR d", "a OR b OR c OR d"),
        ("(/x_(y) OR /z)", "/x_(y) OR /z"),
        ("((a))", "a"),
        ("NOT(a) AND(b OR NOT(NOT(c)))", "NOT a AND ( b OR NOT NOT c )"),
        ("NOTE(a) OR HTTPS://a.org", "NOTE(a) OR HTTPS://a.org"),
    ],
)
def test_precedence(expression: str, same: str) -> None:
    """NOT binds more tightly than AND, and AND more than OR."""
    assert parse(expression) == parse(same)
    assert parse(str(parse(expression))) == parse(same)


def test_an_operator_may_be_a_pattern() -> None:
    """A backslash makes a word of the grammar a text like others."""
    assert parse(r"\AND").matches("http://h/BRAND")
    assert parse(r"\(x AND NOT y\)").matches("http://h/(x")
    assert not parse(r"\(x AND NOT y\)").matches("http://h/(xy)")
    assert parse("and").matches("http://h/sand")
    assert parse(r"\NOT(x)").matches("http://h/NOT(x)")


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


@pytest.mark.parametrize(
    "expression",
    [
        "a*a*a*a*a*a*a*a*a*a*b$",
        "//*a*a*a*a*a*.c",
        ".a*a*a*.c",
        ".a",
        "*a*a*a*a*a*a*ab",
        "aaaaaaaaab",
        "NOT (a*b AND NOT (a*a*c OR .a*c)) AND NOT a*d$",
    ],
)
def test_hostile_patterns_stay_linear(expression: str) -> None:
    """Many wildcards over a long URL that does not match take time that is linear in it."""
    matches = parse(expression).matches

    def seconds(size: int) -> float:
        urls = [f"http://{host}/{'a' * size}" for host in ("a" * size, "a." * size)]
        start = time.process_time()
        for _ in range(4000 // size):
            for url in urls:
                matches(url)
        return time.process_time() - start

    short, long = (min(seconds(size) for _ in range(3)) for size in (500, 4000))
    assert long < 3 * short + 0.005


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
