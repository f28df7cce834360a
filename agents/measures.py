"""The simple rules that filters are put together of: each measures one amount of a crawl.

A rule passes from `minimum` on. Its relevance grows evenly with the amount until that is `enough`.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Final, Literal, Protocol

from attrs import field, frozen, validators

from agents.summary import Format, Summary

_TEXT: Final = 200  # characters of a keyword, a language or a format
_HEAVIEST: Final = 1e6

_share = [validators.ge(0.0), validators.le(1.0)]
_some = [validators.gt(0.0), validators.le(1.0)]
_any_count = validators.optional(validators.gt(0))


def _are_texts(_instance: object, _attribute: Any, value: Iterable[str]) -> None:
    if not value or not all(0 < len(text) <= _TEXT and text.isprintable() for text in value):
        raise ValueError(f"at least one, each of 1 to {_TEXT} printable characters")


def _are_weights(_instance: object, _attribute: Any, value: Mapping[str, float]) -> None:
    if not all(0 < weight <= _HEAVIEST for weight in value.values()):
        raise ValueError(f"a weight above 0 and up to {_HEAVIEST:.0f} for each keyword")


class Measure(Protocol):
    """A simple rule; without an `enough`, its `minimum` is."""

    @property
    def minimum(self) -> float:
        """The amount from which a site passes."""

    @property
    def enough(self) -> float | None:
        """The amount at which it is wholly relevant."""

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the amount, and in words what was measured."""


@frozen
class Keywords:
    """The texts are of a topic: words and sentences that tell it occur in them.

    Attributes:
        of: keywords with their weights; each is written as in `scheduler.analysis.keywords`.
        pages: share of the documents that is to hold a keyword for it to count in full; it
            counts in proportion below.
        minimum: share of all weight from which a site passes.
        enough: share of all weight at which it is wholly relevant.
    """

    of: dict[str, float] = field(validator=[_are_texts, _are_weights])
    pages: float = field(default=0.1, validator=_some)
    minimum: float = field(default=0.1, validator=_share)
    enough: float = field(default=1.0, validator=_some)

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the share of all weight that occurs."""
        having = {term.text: min(term.documents, crawl.documents) for term in crawl.terms}
        having = {text: having.get(text, 0) for text in self.of}
        full = self.pages * max(crawl.documents, 1)
        weight = fsum(self.of[text] * min(1.0, had / full) for text, had in having.items())
        found, most = sum(map(bool, having.values())), max(having.values())
        words = f"{found} of {len(self.of)} keywords occur"
        return (
            weight / fsum(self.of.values()),
            f"{words} in up to {most} of {crawl.documents} documents" if found else words,
        )


@frozen
class Frequent:
    """The site's most frequent runs of words are of a topic; nobody had to look for them.

    Attributes:
        of: such runs of words, in lower case.
        minimum: share of them from which a site passes.
        enough: share of them at which it is wholly relevant.
    """

    of: tuple[str, ...] = field(validator=_are_texts)
    minimum: float = field(default=0.1, validator=_share)
    enough: float = field(default=1.0, validator=_some)

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the share of the listed that are among the site's."""
        wanted = set(self.of)
        found = sorted(wanted & {text for text, _ in crawl.keywords})
        told = f" ({', '.join(found[:5])})" if found else ""
        words = f"{len(found)} of {len(wanted)} are among the most frequent keywords{told}"
        return len(found) / len(wanted), words


@frozen
class Languages:
    """The texts are written in some languages.

    Attributes:
        of: BCP 47 tags; `fr` stands for `fr-CA` too.
        minimum: share of the text from which a site passes.
        enough: share of the text at which it is wholly relevant.
    """

    of: tuple[str, ...] = field(validator=_are_texts)
    minimum: float = field(default=0.5, validator=_share)
    enough: float = field(default=1.0, validator=_some)

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the share of the text in these languages."""
        wanted = [tag.lower() for tag in self.of]
        share = _share_of(
            (each.characters, any(f"{each.name.lower()}-".startswith(f"{tag}-") for tag in wanted))
            for each in crawl.languages
        )
        return share, f"{share:.0%} of the text is in {_listed(self.of)}"


@frozen
class Formats:
    """Captures are of some formats, as a share of all.

    Attributes:
        of: media types; `audio/*` stands for all that begin so.
        weigh: what the share is of: captures, or their bytes.
        minimum: share from which a site passes.
        enough: share at which it is wholly relevant.
    """

    of: tuple[str, ...] = field(validator=_are_texts)
    weigh: Literal["captures", "bytes"] = "captures"
    minimum: float = field(default=0.1, validator=_share)
    enough: float = field(default=1.0, validator=_some)

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the share of these formats."""
        share = _share_of(
            (getattr(each, self.weigh), _is_of(each, self.of)) for each in crawl.formats
        )
        return share, f"{share:.0%} of the {self.weigh} are {_listed(self.of)}"


@frozen
class Captures:
    """There are captures of some formats, so many.

    Attributes:
        of: media types; `audio/*` stands for all that begin so.
        minimum: captures from which a site passes.
        enough: captures at which it is wholly relevant; as soon as it passes, if null.
    """

    of: tuple[str, ...] = field(validator=_are_texts)
    minimum: int = field(default=1, validator=validators.ge(0))
    enough: int | None = field(default=None, validator=_any_count)

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the number of captures of these formats."""
        count = sum(each.captures for each in crawl.formats if _is_of(each, self.of))
        return count, f"{count} captures are {_listed(self.of)}"


@frozen
class Size:
    """The site is of some size.

    Attributes:
        of: what is counted.
        minimum: count from which a site passes.
        enough: count at which it is wholly relevant; as soon as it passes, if null.
    """

    of: Literal["captures", "pages", "documents", "words"]
    minimum: int = field(default=1, validator=validators.ge(0))
    enough: int | None = field(default=None, validator=_any_count)

    def measure(self, crawl: Summary) -> tuple[float, str]:
        """Return the count."""
        count: int = getattr(crawl, self.of)
        return count, f"there are {count} {self.of}"


def _is_of(captured: Format, kinds: Sequence[str]) -> bool:
    name = captured.type.lower()
    wanted = [kind.lower() for kind in kinds]
    return name in wanted or f"{name.partition('/')[0]}/*" in wanted


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts[:5]) + (" or others" if len(texts) > 5 else "")


def _share_of(parts: Iterable[tuple[int, bool]]) -> float:
    """Return the share of those parts that count; 0 of nothing."""
    counted = list(parts)
    whole = sum(size for size, _ in counted)
    return sum(size for size, counts in counted if counts) / whole if whole else 0.0
