"""What a site claims of the web: its delimitation, read once, with where its URLs lie. Pure."""

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from agents.delimitation import Expression, parse
from agents.expression_tree import And, Not, Or, Tree
from agents.scheduler.expansion.anchors import Address, Portion, address_of, portions

_PARSED = 4096  # expressions kept in memory


class Claim(msgspec.Struct, frozen=True, array_like=True):
    """A registered site, as far as its bounds are concerned.

    Attributes:
        number: the site's; of two that claim the same place, the lower one has it.
        start_url: where it begins; canonical.
        accept: expression of what belongs to it.
        reject: expression of what does not, although accepted.
        taken: where the URLs lie that `accept` takes.
        left: where those URLs lie that do not belong to it, as far as that can be said.
        asked: expressions of all others that do not.
    """

    number: int
    start_url: str
    accept: str
    reject: str
    taken: tuple[Portion, ...]
    left: tuple[Portion, ...]
    asked: tuple[str, ...]

    @classmethod
    def read(cls, number: int, start_url: str, accept: str, reject: str = "") -> "Claim":
        """Read the delimitation of a site.

        Raises:
            InvalidExpression: it says where and why.
        """
        positive, negative = _split(parse(accept).tree)
        refused = [_refusal(str(tree)) for tree in negative] + [_refusal(reject)]
        left = tuple(portion for found, _ in refused for portion in found)
        asked = tuple(text for _, texts in refused for text in texts)
        return cls(number, start_url, accept, reject, portions(positive), left, asked)

    @property
    def refused(self) -> str:
        """The expression of what lies in its portions and does not belong to it."""
        return " OR ".join((*map(str, self.left), *self.asked))

    def has(self, url: str) -> bool:
        """Tell whether a canonical URL is internal to the site."""
        return self.best(url, address_of(url), self.taken) is not None

    def best(self, url: str, address: Address, among: Iterable[Portion]) -> Portion | None:
        """Return the most specific of some of its portions by which the site takes a URL."""
        found = None
        for portion in among:
            if (
                portion.holds(address)
                and (found is None or portion.rank > found.rank)
                and (portion.whole or _parsed(self.accept).matches(url))
            ):
                found = portion
        return None if found is None or self._rejects(url, address) else found

    def _rejects(self, url: str, address: Address) -> bool:
        for portion in self.left:  # a loop, for each look-up does this
            if portion.holds(address):
                return True
        return bool(self.asked) and any(_parsed(text).matches(url) for text in self.asked)


def _split(tree: Tree) -> tuple[Tree, list[Tree]]:
    """Take apart what a tree takes and what it takes away from that: `//a.org AND NOT *.pdf$`."""
    if not isinstance(tree, And):
        return tree, []
    positive = tuple(part for part in tree.parts if not isinstance(part, Not))
    negative = [part.part for part in tree.parts if isinstance(part, Not)]
    if not positive or not negative:
        return tree, []
    return positive[0] if len(positive) == 1 else And(positive), negative


@lru_cache(maxsize=64)  # sites that are guessed have few among them
def _refusal(reject: str) -> tuple[tuple[Portion, ...], tuple[str, ...]]:
    """Return where the URLs lie that an expression takes whole, and expressions of the others."""
    tree = parse(reject).tree
    left: list[Portion] = []
    asked: list[str] = []
    for part in tree.parts if isinstance(tree, Or) else (tree,):
        found = portions(part)
        if all(portion.whole for portion in found):
            left += found
        else:
            asked.append(str(part))
    return tuple(left), tuple(asked)


@lru_cache(maxsize=_PARSED)
def _parsed(expression: str) -> Expression:
    return parse(expression)
