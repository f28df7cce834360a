"""What a program asks in a query, and how it is told what went wrong (RFC 9457)."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection

from attrs import frozen

from agents import dates
from agents.consultation.errors import ConsultationError
from agents.page import HEADERS
from agents.urls import canonical
from anet.http import Request, Response

_GUARDS = tuple(pair for pair in HEADERS if pair[0] != b"Content-Type")
_AFTER_LIMIT = 4096  # characters of the opaque text that a page of answers ends with


class Refused(ConsultationError):
    """A question cannot be answered; the message says why, and what to ask instead.

    Attributes:
        status: of the answer.
        code: short name, for programs.
    """

    def __init__(self, message: str, status: int = 400, code: str = "bad-parameter") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@frozen
class Query:
    """The parameters of one question, each read by what it has to be."""

    values: dict[str, str]

    @classmethod
    def of(cls, request: Request, allowed: Collection[str]) -> "Query":
        """Take the parameters of a request.

        Raises:
            Refused: it has one that does not exist, which a program had better hear.
        """
        values = request.query
        unknown = values.keys() - set(allowed)
        if unknown:
            known = ", ".join(allowed) or "none"
            raise Refused(f"there is no parameter {min(unknown)[:60]!r} here; there are: {known}")
        return cls(values)

    def url(self) -> str:
        """Return the canonical form of `url`.

        Raises:
            Refused: it is missing, or no URL that an archive can hold.
        """
        text = self.values.get("url", "")
        found = canonical(text) if text else None
        if found is None:
            raise Refused(f"url={text[:200]!r} is not a whole http or https URL")
        return found

    def date(self, name: str = "date", otherwise: str = "") -> str:
        """Return a date of 20 digits, or `otherwise` where none is given.

        Raises:
            Refused: it is none.
        """
        text = self.values.get(name, "")
        try:
            return dates.parse(text) if text else otherwise
        except dates.InvalidDate as error:
            raise Refused(f"{name}: {error}") from None

    def number(self, name: str, usual: int, most: int) -> int:
        """Return a number from 1 to `most`.

        Raises:
            Refused: it is none.
        """
        text = self.values.get(name, "")
        if not text:
            return usual
        if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
            raise Refused(f"{name}={text[:30]!r} is not a number from 1 to {most}")
        return int(text)

    def choice(self, name: str, choices: Collection[str], usual: str) -> str:
        """Return one of some words.

        Raises:
            Refused: it is none of them.
        """
        text = self.values.get(name, "") or usual
        if text not in choices:
            raise Refused(f"{name}={text[:30]!r} is none of {', '.join(choices)}")
        return text

    def after(self) -> str:
        """Return where the former page of answers ended, or nothing.

        Raises:
            Refused: it is not what an answer gave.
        """
        text = self.values.get("after", "")
        try:
            return urlsafe_b64decode(text[:_AFTER_LIMIT].encode("ascii")).decode("utf-8")
        except ValueError:
            raise Refused("after is not what the former answer gave; leave it out") from None


def ending(place: str) -> str:
    """Return the opaque text for `after` by which the next question goes on after a place."""
    return urlsafe_b64encode(place.encode("utf-8")).decode("ascii")


def answer(value: object, status: int = 200) -> Response:
    """Return an answer in JSON that no page of another site can read."""
    plain = Response.json(status, value)
    return Response(status, [*plain.headers, *_GUARDS], plain.body)


def problem(status: int, code: str, title: str, detail: str, url: str = "") -> Response:
    """Return what went wrong: `title` for people, `code` for programs, `detail` with what to do."""
    told = {"type": "about:blank", "title": title, "status": status, "code": code}
    told |= {"detail": detail} | ({"url": url} if url else {})
    plain = Response.json(status, told)
    return Response(status, [(b"Content-Type", b"application/problem+json"), *_GUARDS], plain.body)
