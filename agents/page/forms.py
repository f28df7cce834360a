"""Telling what a person sent from a page of ours from what another page does in their browser.

Any page in a browser may send a form to this machine. It cannot read our pages (another origin, no
CORS, no frames), so a token in a form proves that it was shown by us; what the browser says of the
sender's origin is checked as well.
"""

import hmac
from hashlib import sha256
from secrets import token_bytes
from urllib.parse import parse_qsl

from anet.http import Request

FORM_LIMIT = 64 * 1024  # bytes
TOKEN = "token"  # noqa: S105 - the field's name
_FIELDS = 40
_MEDIA_TYPE = "application/x-www-form-urlencoded"


class FormRefused(Exception):
    """The form was not sent by a person from a page of ours; the message says what to do."""


class Forms:
    """Makes and checks the tokens of forms; they last as long as the agent."""

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret or token_bytes(32)

    def token(self, client: str) -> str:
        """Return the token for the forms that are shown to an address."""
        return hmac.new(self._secret, client.encode(), sha256).hexdigest()[:32]

    async def read(self, request: Request) -> dict[str, str]:
        """Return the fields of a form.

        Raises:
            FormRefused: it comes from elsewhere, or is no form.
            BodyTooLarge: it is no form of ours.
        """
        check_origin(request)
        if request.headers.text(b"content-type").partition(";")[0].strip().lower() != _MEDIA_TYPE:
            raise FormRefused("This is not a form of these pages.")
        body = await request.read(FORM_LIMIT)
        try:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS)
        except ValueError:
            raise FormRefused("This form cannot be read.") from None
        fields = dict(pairs)
        given = fields.pop(TOKEN, "").encode()
        if not hmac.compare_digest(given, self.token(request.client).encode()):
            raise FormRefused("This form is out of date. Load the page again and repeat.")
        return fields


def check_origin(request: Request) -> None:
    """Check that the browser does not say that another site sent this.

    Raises:
        FormRefused: it says so.
    """
    said = request.headers.get(b"origin")
    if said is not None:
        host = request.headers.text(b"host").lower()
        if said.decode("latin-1").lower() not in (f"http://{host}", f"https://{host}"):
            raise FormRefused("This was sent by another site than these pages.")
    if request.headers.text(b"sec-fetch-site") not in ("", "same-origin", "none"):
        raise FormRefused("This was sent by another site than these pages.")
