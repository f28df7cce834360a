"""URLs that mean the same document."""

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.configuration import ConfigurationError
from agents.consultation.lookup.fuzzy import ALIKE, Fuzzy, best
from agents.consultation.lookup.url_rules import UrlRules, read_rules
from agents.urls import LENGTH_LIMIT, canonical

FUZZY = Fuzzy(read_rules())
PIECES = [
    "a", "B", "/", "//", "?", "&", "&&", "=", ";", "index.html", "/index.php/", "%2F", "%2541", "%",
    "utm_source=x", "_=1700000000000", "cb=abc123def4", "callback=jQuery123456_99", "t=12", "x=1",
    "PHPSESSID=0123456789abcdef0123456789abcdef", ";jsessionid=1", "(S(abcdefghijklmnopqrstuvwx))",
    "__wb_method=POST", "é", "|", "%E9", ".", "..", "*",
]  # fmt: skip
HOSTS = [
    "http://a.example/",
    "https://www.a.example:8080/",
    "http://r3.googlevideo.com/videoplayback?",
    "http://www.www.example/",
    "http://[::1]/",
]
made_urls = st.builds(
    lambda host, rest: canonical(host + "".join(rest)),
    st.sampled_from(HOSTS),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=20),
).filter(bool)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "https://www.example.org/A/"),
        ("http://example.org/", "http://example.org/index.html?utm_source=mail&utm_medium=x"),
        ("http://example.org/a?x=1&y=2", "http://example.org/a?y=2&x=1"),
        ("http://example.org/a", "http://example.org/a?_=1700000000123"),
        ("http://example.org/a?x=1", "http://example.org/a?x=1&t=1700000000"),
        (
            "http://example.org/a?callback=jQuery112233_44",
            "http://example.org/a?callback=jsonp98765",
        ),
        ("http://example.org/a?x=1", "http://example.org/a?PHPSESSID=0123456789abcdef01&x=1"),
        ("http://example.org/a%7Cb?c=%7c", "http://example.org/a|b?c=|"),
        ("http://example.org/a?fbclid=IwAR0&gclid=", "http://example.org/a?"),
        (
            "https://r1---sn-1.googlevideo.com/videoplayback?id=o-1&itag=18&expire=1&sig=2",
            "https://r9---sn-7.googlevideo.com/videoplayback?sig=5&itag=18&id=o-1&ip=1.2.3.4",
        ),
    ],
)
def test_the_same_document(one, other):
    """What only tells visits apart makes no other document."""
    assert FUZZY.form(one) == FUZZY.form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a?page=1", "http://example.org/a?page=2"),
        ("http://example.org/a?t=12", "http://example.org/a?t=13"),
        ("http://example.org/a?r=1", "http://example.org/a?r=2"),
        ("http://example.org/a?v=1.2", "http://example.org/a?v=1.3"),
        ("http://example.org/a", "http://example.org:8080/a"),
        ("http://example.org/a?callback=show", "http://example.org/a?callback=hide"),
        ("http://example.org/a?__wb_method=POST&_=1", "http://example.org/a?__wb_method=POST&_=2"),
        ("http://a.example.org/", "http://example.org/"),
        ("http://example.org/a%2Fb?x=a%26b", "http://example.org/a%2Fb?x=a&b"),
        (
            "http://r1.googlevideo.com/videoplayback?id=1&range=0-9",
            "http://r1.googlevideo.com/videoplayback?id=1&range=10-19",
        ),
    ],
)
def test_another_document(one, other):
    """What may name a document keeps two apart; so does the body of a request."""
    assert FUZZY.form(one) != FUZZY.form(other)


@given(made_urls)
@example("http://a.example/index.html/index.html")
@example("http://a.example/%2541?%2541=%2526")
def test_the_form_of_a_form_is_itself(url):
    """A form is settled, so that forms can be compared."""
    form = FUZZY.form(url)
    assert FUZZY.form(form) == form


@pytest.mark.parametrize(
    "unit", ["&_", "&a=1", "/index.html", "%25", "&x=a1", ";=", "?utm_", "&callback=a.$", "/" * 9]
)
def test_a_form_costs_time_in_proportion(unit):
    """The longest URL there may be costs no more per character than a short one, eightfold."""

    def cost(size):
        url = ("http://a.example/?" + unit * size)[:size]
        began = process_time()
        for _ in range(5):
            FUZZY.form(url)
        return (process_time() - began) / size

    FUZZY.form("http://a.example/")
    assert cost(LENGTH_LIMIT) < 8 * max(cost(LENGTH_LIMIT // 8), 1e-7)


def test_the_closest_come_first():
    """Parameters in common count most, then host, then scheme; ten at most."""
    asked = "https://example.org/a?x=1&_=5"
    found = [
        "http://www.example.org/a?x=1", "http://example.org/a?x=1", "https://example.org/a?x=1",
        "https://example.org/a?x=1&utm_source=q", asked,
    ]  # fmt: skip
    assert best(asked, found) == [found[2], found[1], found[0], found[3]]
    assert len(best(asked, [f"http://example.org/a?_={n}" for n in range(50)])) == ALIKE


def test_an_operator_has_rules_of_their_own(tmp_path):
    """A file replaces the table; a wrong one is refused with its line."""
    file = tmp_path / "rules.yaml"
    file.write_text("drop:\n  - {names: [lang], value: any}\n")
    own = Fuzzy(read_rules(file))
    assert own.form("http://example.org/a?lang=fr") == own.form("http://example.org/a")
    assert own.form("http://example.org/a?_=1700000000123") != own.form("http://example.org/a")
    file.write_text("drop:\n  - {names: [lang], value: '(a+)+'}\n")
    with pytest.raises(ConfigurationError, match="rules.yaml"):
        read_rules(file)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_rules(tmp_path / "none.yaml")
    assert Fuzzy(UrlRules()).form("http://example.org/a?b=1") == "http://example.org/a?b=1"
