"""Which answers of the live web are kept: pure.

What a reader gets because of who they are is theirs, and not the archive's, unless the operator
says otherwise: answers to requests with cookies, credentials or a body, and answers that call
themselves private.
"""

from anet.http import Headers, ResponseHead

_PERSONAL = (b"cookie", b"authorization")


def why_not_kept(method: str, headers: Headers, head: ResponseHead, private: bool) -> str:
    """Return in a few words why an answer is not kept; empty when it is.

    Args:
        method: of the request.
        headers: of the request.
        head: of the answer.
        private: whether what is personal is kept, too.
    """
    if head.status in (206, 304):
        return "partial"  # else a reader of the archive would get it for the whole
    if method in ("HEAD", "OPTIONS", "TRACE") or head.status == 204:
        return "no content"
    if private:
        return ""
    if method != "GET":
        return "sent something"
    if any(name in headers for name in _PERSONAL):
        return "personal request"
    return "private answer" if _is_private(head.headers) else ""


def _is_private(headers: Headers) -> bool:
    said = b",".join(headers.get_all(b"cache-control")).lower()
    return any(word.strip().partition(b"=")[0] == b"private" for word in said.split(b","))
