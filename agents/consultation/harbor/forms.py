"""Telling a reader's own act in the harbor from one that an archived page does in their browser.

Archived pages run scripts in the browser that the reader uses for the harbor. They cannot read
the harbor's pages (another origin, no CORS, no frames), so a token in its forms proves that the
reader sent them; what the browser says of the sender's origin is checked as well.
"""

import hmac
from hashlib import sha256
from secrets import token_bytes
from urllib.parse import parse_qsl

from agents.consultation.errors import ConsultationError
from agents.consultation.harbor.english import ENGLISH
from anet.http import Request

FORM_LIMIT = 32 * 1024  # bytes; two URLs at their limit fit
_MEDIA_TYPE = "application/x-www-form-urlencoded"


class FormRefused(ConsultationError):
    """The form was not sent by the reader from the harbor.

    Attributes:
        reason: `elsewhere`, `no-form`, `unreadable` or `stale`; the text of it is `refused.…`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(ENGLISH[f"refused.{reason}"])
        self.reason = reason


class Forms:
    """Makes and checks the tokens of forms; they last as long as the agent."""

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret or token_bytes(32)

    def token(self, reader: str) -> str:
        """Return the token for the forms that are shown to the reader of a key."""
        key = reader.encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, key, sha256).hexdigest()[:32]

    async def read(self, request: Request, origin: str, reader: str) -> dict[str, str]:
        """Return the fields of a form.

        Args:
            request: a POST.
            origin: the origin of the harbor as this reader sees it, `http://dlweb`.
            reader: the key of whoever sends it.

        Raises:
            FormRefused: it comes from elsewhere, or is no form.
            BodyTooLarge: it is no form of ours.
        """
        check_origin(request, origin)
        if request.headers.text(b"content-type").partition(";")[0].strip().lower() != _MEDIA_TYPE:
            raise FormRefused("no-form")
        body = await request.read(FORM_LIMIT)
        try:
            fields = dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=9))
        except ValueError:
            raise FormRefused("unreadable") from None
        given = fields.pop("token", "").encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(given, self.token(reader).encode()):
            raise FormRefused("stale")
        return fields


def check_origin(request: Request, origin: str) -> None:
    """Check that the browser does not say that another site sent this.

    Raises:
        FormRefused: it says so.
    """
    said = request.headers.get(b"origin")
    if said is not None and said.decode("latin-1") != origin:
        raise FormRefused("elsewhere")
    if request.headers.text(b"sec-fetch-site") not in ("", "same-origin"):
        raise FormRefused("elsewhere")
