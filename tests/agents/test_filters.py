"""Rules that judge what a crawl brought."""

import msgspec
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from agents.configuration import ConfigurationError
from agents.configuration.document import compose
from agents.configuration.typed import Reader
from agents.filters import NESTING, RULES, AtLeast, Filters, Rule
from agents.judgement import Policy
from agents.measures import Captures, Formats, Frequent, Keywords, Languages, Size
from agents.summary import Format, Language, Summary, Term

ARCHIVES = Summary(
    captures=120,
    pages=80,
    documents=60,
    characters=1000,
    words=9000,
    languages=(Language("fr-CA", 40, 700), Language("en", 20, 300)),
    terms=(Term("archive", 90, 41), Term("web", 9, 3), Term("dépôt légal", 9, 6)),
    keywords=(("dépôt légal", 40), ("bibliothèque", 12)),
    formats=(Format("text/html", 80, 1000), Format("Audio/MPEG", 10, 9000), Format("", 30, 0)),
)


@frozen
class Section:
    """A section of a configuration."""

    filters: Filters = Filters()


def read(text: str) -> Filters:
    """Return the filters that a section of YAML holds."""
    node = compose(text, "test.yaml")
    assert node is not None
    return Reader("test.yaml").instance(node, Section, "expansion").filters


def relevance(**rule: object) -> float:
    """Return what one rule says of the site on archives, or -1 when it fails."""
    verdict = Rule(**rule).judge(ARCHIVES)  # type: ignore[arg-type]
    return round(verdict.relevance, 4) if verdict.passes else -1


def test_keywords_count_by_their_weights_and_pages() -> None:
    """One in enough documents counts in full, another in proportion, an absent one not at all."""
    of = {"archive": 2.0, "web": 1.0, "fishing": 1.0}
    assert relevance(keywords=Keywords(of)) == round((2 + 0.5) / 4, 4)
    assert relevance(keywords=Keywords(of, enough=0.5)) == 1
    assert relevance(keywords=Keywords(of, minimum=0.7)) == -1
    assert relevance(keywords=Keywords({"fishing": 1.0})) == -1
    told = Rule(keywords=Keywords(of)).judge(ARCHIVES).sentences
    assert told == ("0.62: 2 of 3 keywords occur in up to 41 of 60 documents",)
    told = Rule(keywords=Keywords({"fishing": 1.0})).judge(ARCHIVES).sentences
    assert told == ("fails: 0 of 1 keywords occur; 0.00 of 0.10",)


def test_frequent_keywords_need_not_be_looked_for() -> None:
    """The share of the listed ones that are among the site's is measured."""
    assert relevance(frequent=Frequent(("dépôt légal", "archive"))) == 0.5
    assert relevance(frequent=Frequent(("archive",))) == -1


def test_languages_stand_for_their_regions() -> None:
    """French is Canadian French too, and `f` is nothing of the kind."""
    assert relevance(languages=Languages(("FR",))) == 0.7
    assert relevance(languages=Languages(("fr", "en"))) == 1
    assert relevance(languages=Languages(("f",))) == -1
    assert relevance(languages=Languages(("en",))) == -1
    assert relevance(languages=Languages(("en",), minimum=0.3)) == 0.3


def test_formats_by_share_and_by_number() -> None:
    """Shares of captures or of bytes, or plain numbers; case does not matter."""
    assert relevance(formats=Formats(("audio/*",), minimum=0.05, enough=0.5)) == round(1 / 6, 4)
    assert relevance(formats=Formats(("audio/mpeg",), weigh="bytes")) == 0.9
    assert relevance(formats=Formats(("audio/*",))) == -1
    assert relevance(captures=Captures(("audio/*",), minimum=10)) == 1
    assert relevance(captures=Captures(("audio/*",), minimum=5, enough=40)) == 0.25
    assert relevance(captures=Captures(("video/*", "text/html"), minimum=81)) == -1


def test_size() -> None:
    """Counts are compared, and grade only when told to."""
    assert relevance(size=Size("pages", minimum=80)) == 1
    assert relevance(size=Size("words", minimum=0, enough=90_000)) == 0.1
    assert relevance(size=Size("documents", minimum=61)) == -1
    assert relevance(size=Size("captures", minimum=0)) == 1


def test_rules_are_put_together_by_counting() -> None:
    """Relevance is the mean of the best of those that have to pass."""
    high = Rule(languages=Languages(("fr",)))  # 0.7
    low = Rule(languages=Languages(("en",), minimum=0.1))  # 0.3
    bad = Rule(languages=Languages(("de",)))
    assert relevance(all=(high, low)) == 0.5
    assert relevance(all=(high, bad)) == -1
    assert relevance(any=(low, bad, high)) == 0.7
    assert relevance(any=(bad,)) == -1
    assert relevance(none=(bad, bad)) == 1
    assert relevance(none=(bad, low)) == -1
    assert relevance(at_least=AtLeast(2, (low, bad, high))) == 0.5
    assert relevance(at_least=AtLeast(3, (low, bad, high))) == -1
    assert Rule(any=(bad, Rule(all=(high,)))).judge(ARCHIVES).sentences == (
        "0.70: 1 of 2 rules pass, 1 wanted",
        "  fails: 0% of the text is in de; 0.00 of 0.50",
        "  0.70: 1 of 1 rules pass, 1 wanted",
        "    0.70: 70% of the text is in fr",
    )


def test_filters_want_all_rules_and_some_relevance() -> None:
    """A site that fulfils every rule barely may fail all the same; without rules all pass."""
    rules = (Rule(languages=Languages(("fr",))),)
    assert Filters(rules, 0.7).judge(ARCHIVES).passes
    failed = Filters(rules, 0.71).judge(ARCHIVES)
    assert (failed.passes, failed.relevance) == (False, 0)
    assert failed.sentences[0] == "relevance 0.70 is less than 0.71"
    assert Filters().judge(Summary()).relevance == 1


def test_crawlers_look_for_the_keywords_of_all_rules() -> None:
    """Each once, however deep its rule lies."""
    inner = Rule(keywords=Keywords({"b": 1.0, "a": 1.0}))
    assert Filters((Rule(keywords=Keywords({"a": 1.0})), Rule(none=(inner,)))).keywords == (
        "a",
        "b",
    )


def test_a_configuration_holds_rules() -> None:
    """They read as a person writes them."""
    filters = read("""
filters:
  relevance: 0.2
  rules:
    - keywords: {of: {archive: 2, "archiv*": 0.5}, pages: 0.5}
    - any:
        - languages: {of: [fr]}
        - all: [{size: {of: pages}}, {none: [{formats: {of: [audio/*]}}]}]
    - at_least: {n: 1, of: [{captures: {of: [application/pdf], minimum: 3}}]}
""")
    assert [rule.inner != () for rule in filters.rules] == [False, True, True]
    assert filters.rules[0].keywords == Keywords({"archive": 2.0, "archiv*": 0.5}, pages=0.5)
    assert filters.relevance == 0.2


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("{}", "one of keywords, frequent"),
        ("{size: {of: pages}, languages: {of: [fr]}}", "one of keywords, frequent"),
        ("{keyword: {}}", "did you mean keywords"),
        ("{keywords: {of: {}}}", "at least one"),
        ("{keywords: {of: {a: 0}}}", "a weight above 0"),
        ("{keywords: {of: {a: 1}, pages: 0}}", "pages: expected a value > 0"),
        ('{frequent: {of: ["a\\nb"]}}', "printable"),
        ("{all: []}", "at least one rule"),
        ("{at_least: {n: 2, of: [{size: {of: pages}}]}}", "n up to the 1 rules"),
        ("{size: {of: bytes}}", "expected one of 'captures'"),
    ],
)
def test_what_cannot_be_meant_is_refused(rules: str, expected: str) -> None:
    """In words, with the line."""
    with pytest.raises(ConfigurationError, match=expected) as caught:
        read(f"filters:\n  rules:\n    - {rules}")
    assert "3" in str(caught.value)


def test_rules_are_bounded() -> None:
    """Many rules, deep ones and many keywords are refused before anything looks at them."""
    one = Rule(size=Size("pages"))
    with pytest.raises(ValueError, match="rules"):
        Filters((Rule(any=(one,) * RULES),))
    deep = one
    for _ in range(NESTING - 1):
        deep = Rule(all=(deep,))
    assert Filters((deep,)).judge(ARCHIVES).passes
    with pytest.raises(ValueError, match="deep"):
        Filters((Rule(all=(deep,)),))
    with pytest.raises(ValueError, match="keywords"):
        Filters((Rule(keywords=Keywords({str(each): 1.0 for each in range(10_001)})),))
    with pytest.raises(ValueError, match="characters"):
        Filters((Rule(frequent=Frequent(("x" * 200,) * 2501)),))


# Whatever the rules and the crawl are.

NAMES = st.sampled_from(["fr", "en", "audio/mpeg", "audio/*", "text/html", "a", "b"])
LISTS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
SHARES = st.floats(0, 1)
SOME = st.floats(0.01, 1)
COUNTS = st.integers(0, 50)
KEYWORD_RULE = st.builds(
    lambda of, **more: Rule(keywords=Keywords(of, **more)),
    st.dictionaries(NAMES, st.floats(0.1, 9), min_size=1, max_size=4),
    pages=SOME, minimum=SHARES, enough=SOME,
)  # fmt: skip
SIMPLE = st.one_of(
    KEYWORD_RULE,
    st.builds(lambda *of: Rule(frequent=Frequent(*of)), LISTS, SHARES, SOME),
    st.builds(lambda *of: Rule(languages=Languages(*of)), LISTS, SHARES, SOME),
    st.builds(
        lambda *of: Rule(formats=Formats(*of)),
        LISTS, st.sampled_from(["captures", "bytes"]), SHARES, SOME,
    ),
    st.builds(lambda *of: Rule(captures=Captures(*of)), LISTS, COUNTS, st.none() | st.just(9)),
    st.builds(
        lambda *of: Rule(size=Size(*of)),
        st.sampled_from(["captures", "pages", "documents"]), COUNTS, st.none() | st.just(9),
    ),
)  # fmt: skip


def composed(rules: st.SearchStrategy[Rule], negated: bool) -> st.SearchStrategy[Rule]:
    """Return strategies of rules made of others."""
    several = st.lists(rules, min_size=1, max_size=3).map(tuple)
    kinds = [
        several.map(lambda of: Rule(all=of)),
        several.map(lambda of: Rule(any=of)),
        st.builds(lambda of, n: Rule(at_least=AtLeast(min(n, len(of)), of)), several,
                  st.integers(1, 3)),
    ]  # fmt: skip
    if negated:
        kinds.append(several.map(lambda of: Rule(none=of)))
    return st.one_of(kinds)


ANY_RULE = st.recursive(SIMPLE, lambda rules: composed(rules, True), max_leaves=6)
RISING_RULE = st.recursive(
    KEYWORD_RULE,
    lambda rules: composed(rules, False),
    max_leaves=6,
)
SUMMARIES = st.builds(
    Summary,
    COUNTS, COUNTS, COUNTS, COUNTS, COUNTS,
    st.lists(st.builds(Language, NAMES, COUNTS, COUNTS), max_size=4).map(tuple),
    st.lists(st.builds(Term, NAMES, COUNTS, COUNTS), max_size=4).map(tuple),
    st.lists(st.tuples(NAMES, COUNTS), max_size=4).map(tuple),
    st.lists(st.builds(Format, NAMES, COUNTS, COUNTS), max_size=4).map(tuple),
)  # fmt: skip


@given(ANY_RULE, SUMMARIES)
def test_relevance_is_a_share(rule: Rule, crawl: Summary) -> None:
    """Never outside 0 to 1, 0 for what fails, and always with a sentence a rule."""
    verdict = rule.judge(crawl)
    assert 0 <= verdict.relevance <= 1
    assert verdict.passes or verdict.relevance == 0
    assert verdict.sentences and all(verdict.sentences)


@given(RISING_RULE, SUMMARIES, st.data())
def test_more_of_the_topic_is_never_less_relevant(
    rule: Rule, crawl: Summary, data: st.DataObject
) -> None:
    """A keyword in more documents makes no rule of keywords fail, nor less relevant."""
    text = data.draw(NAMES)
    held = {term.text: term for term in crawl.terms}
    former = held.get(text, Term(text, 0, 0))
    held[text] = evolve(former, documents=former.documents + data.draw(COUNTS))
    before, after = rule.judge(crawl), rule.judge(evolve(crawl, terms=tuple(held.values())))
    assert after.relevance >= before.relevance
    assert after.passes >= before.passes


@given(ANY_RULE, SUMMARIES)
def test_none_is_the_contrary(rule: Rule, crawl: Summary) -> None:
    """Either a rule passes or none of it does; twice denied, it is as it was."""
    denied = Rule(none=(rule,))
    assert denied.judge(crawl).passes is not rule.judge(crawl).passes
    assert Rule(none=(denied,)).judge(crawl).passes is rule.judge(crawl).passes


@given(st.lists(ANY_RULE, min_size=1, max_size=4).map(tuple), SUMMARIES)
def test_all_and_any_are_ends_of_at_least(rules: tuple[Rule, ...], crawl: Summary) -> None:
    """So many of the rules as there are is all, one is any, and to want more is never easier."""
    counted = [Rule(at_least=AtLeast(n + 1, rules)).judge(crawl) for n in range(len(rules))]
    assert counted[-1] == Rule(all=rules).judge(crawl)
    assert counted[0] == Rule(any=rules).judge(crawl)
    assert [each.relevance for each in counted] == sorted(
        (each.relevance for each in counted), reverse=True
    )


@given(st.lists(ANY_RULE, max_size=3).map(tuple), SHARES)
def test_a_policy_goes_over_the_wire(rules: tuple[Rule, ...], least: float) -> None:
    """What a scheduler sends is what a connectivity agent gets."""
    policy = Policy(Filters(rules, least))
    assert msgspec.convert(msgspec.msgpack.decode(msgspec.msgpack.encode(policy)), Policy) == policy


def test_the_wire_is_checked_too() -> None:
    """What a configuration may not hold, no peer may send."""
    rule = {"size": {"of": "pages"}}
    for _ in range(NESTING):
        rule = {"all": [rule]}  # type: ignore[dict-item]
    with pytest.raises(msgspec.ValidationError, match="deep"):
        msgspec.convert({"filters": {"rules": [rule]}}, Policy)
    with pytest.raises(msgspec.ValidationError, match="one of"):
        msgspec.convert({"filters": {"rules": [{}]}}, Policy)
