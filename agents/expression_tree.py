"""What an accept or reject expression means, as a tree that can be written and matched. Pure.

Whatever its form, it is one regular expression: AND and NOT become looks ahead from the start of
the URL, which are never taken back, so that its time is linear in the URL.
"""

from typing import TypeAlias

from attrs import field, frozen


@frozen
class Pattern:
    """One pattern: its text as written, and the regular expression it stands for."""

    text: str
    regex: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@frozen
class Not:
    """URLs that the part does not take."""

    part: "Tree"

    @property
    def regex(self) -> str:
        """The regular expression of the whole, to match from the start of a URL."""
        return f"(?!{self.part.regex})"

    def __str__(self) -> str:
        return f"NOT {_grouped(self.part, And, Or)}"


@frozen
class And:
    """URLs that all the parts take; there are two or more, and none is an `And`."""

    parts: "tuple[Tree, ...]"

    @property
    def regex(self) -> str:
        """The regular expression of the whole, to match from the start of a URL."""
        return "".join(
            part.regex if isinstance(part, Not) else f"(?={part.regex})" for part in self.parts
        )

    def __str__(self) -> str:
        return " AND ".join(_grouped(part, Or) for part in self.parts)


@frozen
class Or:
    """URLs that any of the parts takes; none is an `Or`. Without parts it takes no URL."""

    parts: "tuple[Tree, ...]"

    @property
    def regex(self) -> str:
        """The regular expression of the whole, to match from the start of a URL."""
        return "|".join(part.regex for part in self.parts) or r"(?!)"

    def __str__(self) -> str:
        return " OR ".join(map(str, self.parts))


Tree: TypeAlias = Pattern | Not | And | Or


def _grouped(part: Tree, *kinds: type) -> str:
    """Write a part, in parentheses if it is of these kinds; spaces keep them from its patterns."""
    return f"( {part} )" if isinstance(part, kinds) else str(part)
