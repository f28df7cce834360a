"""Accept and reject expressions: patterns joined by AND, OR, NOT and parentheses (*INA §1.4.1*).

NOT binds more tightly than AND, and AND more than OR. Whatever its form, an expression becomes
one regular expression that answers in time linear in the URL: AND and NOT become looks ahead from
the start of the URL, which are never taken back. Pure.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from attrs import frozen

from agents.expression_tree import And, Not, Or, Pattern, Tree
from agents.patterns import Misfit, pattern_regex

LENGTH_LIMIT = 65536  # characters of an expression
PATTERN_LIMIT = 4096  # patterns in an expression
NESTING_LIMIT = 50  # NOTs and parentheses within one another

_WORD = re.compile(r"(?:\\.|\\\Z|[^\s\\])+", re.DOTALL)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_BEFORE_GROUP = re.compile(r"(?:AND|OR|NOT)(?=\()")
_OPERATORS = ("AND", "OR", "NOT", "(", ")")


class InvalidExpression(ValueError):
    """An accept or reject expression can't be read.

    Attributes:
        position: index in the expression of what is wrong, from 0.
        reason: what is wrong there, and what was expected.
    """

    def __init__(self, expression: str, position: int, reason: str) -> None:
        shown = expression[max(0, position - 30) : position + 30]
        super().__init__(f"{reason} (at character {position + 1}, near {shown!r})")
        self.position = position
        self.reason = reason


@frozen
class Expression:
    """A parsed accept or reject expression; equal when written with the same patterns.

    Attributes:
        tree: what it means.
    """

    tree: Tree

    def matches(self, url: str) -> bool:
        """Tell whether a canonical URL is taken."""
        return self._match(url) is not None

    @cached_property
    def _match(self) -> Callable[[str], object]:
        """The compiled expression; who only reads where it takes URLs does not pay for that."""
        return re.compile(self.tree.regex).match

    def __str__(self) -> str:
        return str(self.tree)


def parse(expression: str) -> Expression:
    """Read an expression; the empty one takes nothing.

    Raises:
        InvalidExpression: it says where and why.
    """
    if len(expression) > LENGTH_LIMIT:
        raise InvalidExpression(
            expression, LENGTH_LIMIT, f"longer than {LENGTH_LIMIT} characters; make it shorter"
        )
    tree = _Reader(expression).read()
    return Expression(tree)


class _Token(NamedTuple):
    position: int
    text: str

    @property
    def is_pattern(self) -> bool:
        return bool(self.text) and self.text not in _OPERATORS


def _tokens(expression: str) -> Iterator[_Token]:
    """Yield patterns and operators, and an empty token at the end.

    Parentheses may touch the patterns within, and the operator before. One at the end of a word
    that has its partner in the word belongs to the pattern, as in `/wiki/Nice_(town)`.
    """
    for found in _WORD.finditer(expression):
        word, position = found[0], found.start()
        while word.startswith("(") or _BEFORE_GROUP.match(word):
            end = word.index("(") or 1
            yield _Token(position, word[:end])
            word, position = word[end:], position + end
        bare = _ESCAPED.sub("xx", word)
        alone = max(0, bare.count(")") - bare.count("("))
        end = len(word) - min(alone, len(bare) - len(bare.rstrip(")")))
        if end:
            yield _Token(position, word[:end])
        for place in range(end, len(word)):
            yield _Token(position + place, ")")
    yield _Token(len(expression), "")


class _Reader:
    """Reads the tokens of one expression, from the loosest operator to the tightest."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._tokens = list(_tokens(expression))
        self._next = 0
        self._patterns = 0
        self._nesting = 0

    def read(self) -> Tree:
        if len(self._tokens) == 1:
            return Or(())
        tree = self._either()
        rest = self._take()
        if rest.text == ")":
            raise self._error(rest, "this ) closes nothing")
        if rest.text:
            raise self._error(rest, f"expected AND or OR, found {rest.text[:40]}")
        return tree

    def _either(self) -> Tree:
        parts = [self._all()]
        while self._skip("OR"):
            parts.append(self._all())
        return _joined(Or, parts)

    def _all(self) -> Tree:
        parts = [self._one()]
        while self._skip("AND"):
            parts.append(self._one())
        return _joined(And, parts)

    def _one(self) -> Tree:
        token = self._take()
        if token.is_pattern:
            return self._pattern(token)
        if token.text not in ("NOT", "("):
            raise self._error(token, self._expected(token))
        self._nesting += 1
        if self._nesting > NESTING_LIMIT:
            raise self._error(token, f"more than {NESTING_LIMIT} NOTs and parentheses nested")
        tree = Not(self._one()) if token.text == "NOT" else self._group(token)
        self._nesting -= 1
        return tree

    def _group(self, opening: _Token) -> Tree:
        tree = self._either()
        closing = self._take()
        if closing.text == "":
            raise self._error(opening, "this ( is not closed")
        if closing.text != ")":
            raise self._error(closing, f"expected AND, OR or ), found {closing.text[:40]}")
        return tree

    def _pattern(self, token: _Token) -> Pattern:
        self._patterns += 1
        if self._patterns > PATTERN_LIMIT:
            raise self._error(token, f"more than {PATTERN_LIMIT} patterns")
        try:
            return Pattern(token.text, pattern_regex(token.text))
        except Misfit as misfit:
            place = token.position + misfit.offset
            raise InvalidExpression(self._expression, place, misfit.reason) from None

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _skip(self, operator: str) -> bool:
        found = self._tokens[self._next].text == operator
        self._next += found
        return found

    def _expected(self, token: _Token) -> str:
        if token.text:
            return f"expected a pattern, found {token.text}"
        return f"expected a pattern after {self._tokens[-2].text}"

    def _error(self, token: _Token, reason: str) -> InvalidExpression:
        return InvalidExpression(self._expression, token.position, reason)


def _joined(kind: type[And] | type[Or], parts: list[Tree]) -> Tree:
    """Join parts; what is of the same kind among them, once in parentheses, gives its parts."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Tree] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    return kind(tuple(flat))
