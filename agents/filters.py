"""Rules over what a crawl brought, small and composed: does the site pass, how relevant is it?

A configuration holds them, the scheduler sends them along, a connectivity agent applies them
(*INA §1.5.1*). All of it is pure: a rule looks at the `Summary` of a crawl and says whether the
site passes, its relevance from 0 to 1, and why, in sentences. What does not pass has no relevance.

Every simple rule measures one amount. It passes from `minimum` on, and its relevance grows evenly
with the amount until that is `enough`. Rules are put together by counting: `all`, `any` and
`at_least` want so many to pass, and their relevance is the mean of the best that many.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Any, Final, TypeAlias

from attrs import field, fields, frozen, validators

from agents.measures import Captures, Formats, Frequent, Keywords, Languages, Measure, Size
from agents.summary import Summary

RULES: Final = 1000  # of one configuration
NESTING: Final = 8  # rules within rules
KEYWORDS: Final = 10_000  # of all rules; what crawlers look for at once
CHARACTERS: Final = 500_000  # of all texts of all rules, which go with every deposit


@frozen
class Verdict:
    """What a rule says.

    Attributes:
        passes: whether the site fulfils the rule.
        relevance: from 0 to 1; 0 if it does not pass.
        sentences: why; those of rules within a rule follow it, two spaces further in.
    """

    passes: bool
    relevance: float
    sentences: tuple[str, ...]


@frozen
class AtLeast:
    """So many of some rules pass.

    Attributes:
        n: how many.
        of: the rules.
    """

    n: int = field(validator=validators.ge(1))
    of: "tuple[Rule, ...]" = field(validator=validators.min_len(1))

    def __attrs_post_init__(self) -> None:
        if self.n > len(self.of):
            raise ValueError(f"n up to the {len(self.of)} rules there are")


def _are_rules(_instance: object, _attribute: Any, value: "tuple[Rule, ...] | None") -> None:
    if value is not None and not value:
        raise ValueError("at least one rule")


@frozen
class Rule:
    """One rule: exactly one of these is given.

    Attributes:
        keywords: words and sentences that crawlers look for.
        frequent: the most frequent runs of words.
        languages: of the texts.
        formats: of the captures, as a share.
        captures: of some formats, by number.
        size: of the site.
        all: all of these rules pass.
        any: one of these rules passes.
        none: none of these rules passes; the relevance is then 1.
        at_least: so many of some rules pass.
    """

    keywords: Keywords | None = None
    frequent: Frequent | None = None
    languages: Languages | None = None
    formats: Formats | None = None
    captures: Captures | None = None
    size: Size | None = None
    all: "tuple[Rule, ...] | None" = field(default=None, validator=_are_rules)
    any: "tuple[Rule, ...] | None" = field(default=None, validator=_are_rules)
    none: "tuple[Rule, ...] | None" = field(default=None, validator=_are_rules)
    at_least: AtLeast | None = None

    def __attrs_post_init__(self) -> None:
        names = [each.name for each in fields(Rule)]
        if sum(getattr(self, name) is not None for name in names) != 1:
            raise ValueError(f"one of {', '.join(names)}")

    @property
    def inner(self) -> "tuple[Rule, ...]":
        """The rules right within this one."""
        return self.all or self.any or self.none or (self.at_least.of if self.at_least else ())

    def judge(self, crawl: Summary) -> Verdict:
        """Return what the rule says of a crawl."""
        if self.none:
            return _none(self.none, crawl)
        if self.inner:
            wanted = len(self.inner) if self.all else self.at_least.n if self.at_least else 1
            return _several(wanted, self.inner, crawl)
        simple: Iterable[Measure | None] = (
            self.keywords, self.frequent, self.languages, self.formats, self.captures, self.size,
        )  # fmt: skip
        return next(_simple(rule, crawl) for rule in simple if rule is not None)


Rules: TypeAlias = tuple[Rule, ...]


@frozen
class Filters:
    """What a site is judged by: it passes if all rules do and it is relevant enough.

    Attributes:
        rules: as `docs/reference/filters.md` tells; without any, everything passes and is wholly
            relevant.
        relevance: from 0 to 1, from which a site passes.
    """

    rules: Rules = ()
    relevance: float = field(default=0.0, validator=[validators.ge(0.0), validators.le(1.0)])

    def __attrs_post_init__(self) -> None:
        depth = _depth(self.rules)  # first, since the others would follow what is too deep
        if depth > NESTING:
            raise ValueError(f"rules within rules up to {NESTING} deep")
        if sum(1 for _ in _every(self.rules)) > RULES:
            raise ValueError(f"up to {RULES} rules")
        if len(self.keywords) > KEYWORDS:
            raise ValueError(f"up to {KEYWORDS} keywords")
        if sum(map(_characters, _every(self.rules))) > CHARACTERS:
            raise ValueError(f"keywords, languages and formats of up to {CHARACTERS} characters")

    @property
    def keywords(self) -> tuple[str, ...]:
        """What crawlers have to look for, so that the rules can tell."""
        of = (rule.keywords.of for rule in _every(self.rules) if rule.keywords)
        return tuple(dict.fromkeys(text for texts in of for text in texts))

    def judge(self, crawl: Summary) -> Verdict:
        """Return what is to be said of a crawl."""
        if not self.rules:
            return Verdict(True, 1.0, ("there are no rules: everything passes",))
        verdict = _several(len(self.rules), self.rules, crawl)
        if verdict.passes and verdict.relevance < self.relevance:
            short = f"relevance {verdict.relevance:.2f} is less than {self.relevance:.2f}"
            return Verdict(False, 0.0, (short, *verdict.sentences))
        return verdict


def _simple(rule: Measure, crawl: Summary) -> Verdict:
    amount, words = rule.measure(crawl)
    if amount < rule.minimum:
        return Verdict(False, 0.0, (f"fails: {words}; {_told(amount)} of {_told(rule.minimum)}",))
    enough = rule.minimum if rule.enough is None else rule.enough
    relevance = min(1.0, amount / enough) if enough else 1.0
    return Verdict(True, relevance, (f"{relevance:.2f}: {words}",))


def _told(amount: float) -> str:
    return str(amount) if isinstance(amount, int) else f"{amount:.2f}"


def _several(wanted: int, rules: Sequence[Rule], crawl: Summary) -> Verdict:
    verdicts = [rule.judge(crawl) for rule in rules]
    passed = sum(verdict.passes for verdict in verdicts)
    best = sorted((verdict.relevance for verdict in verdicts), reverse=True)[:wanted]
    relevance = fsum(best) / wanted if passed >= wanted else 0.0
    told = f"{relevance:.2f}" if passed >= wanted else "fails"
    head = f"{told}: {passed} of {len(rules)} rules pass, {wanted} wanted"
    return Verdict(passed >= wanted, relevance, (head, *_within(verdicts)))


def _none(rules: Sequence[Rule], crawl: Summary) -> Verdict:
    verdicts = [rule.judge(crawl) for rule in rules]
    passed = sum(verdict.passes for verdict in verdicts)
    told = "fails" if passed else "1.00"
    head = f"{told}: {passed} of {len(rules)} rules pass, none wanted"
    return Verdict(not passed, 0.0 if passed else 1.0, (head, *_within(verdicts)))


def _within(verdicts: Iterable[Verdict]) -> Iterator[str]:
    return (f"  {sentence}" for verdict in verdicts for sentence in verdict.sentences)


def _depth(rules: Rules) -> int:
    """Return how deep rules go, and no more than one beyond what they may."""
    level, depth = list(rules), 0
    while level and depth <= NESTING:
        level = [inner for rule in level for inner in rule.inner]
        depth += 1
    return depth


def _characters(rule: Rule) -> int:
    simple = (rule.keywords, rule.frequent, rule.languages, rule.formats, rule.captures)
    return sum(len(text) for each in simple if each for text in each.of)


def _every(rules: Rules) -> Iterator[Rule]:
    """Yield rules and all that are within them."""
    for rule in rules:
        yield rule
        yield from _every(rule.inner)
