"""What a browser tells a server of where a link was found (Referrer Policy). Pure."""


def referrer_of(url: str, found_in: str) -> str:
    """Return the value of the `Referer` field; empty when nothing is told.

    As browsers do when nobody says otherwise (`strict-origin-when-cross-origin`): all to the same
    server, the origin to others, and nothing from https to http.

    Args:
        url: about to be asked for; canonical.
        found_in: the document that holds the link; canonical, or empty.
    """
    if not found_in or (found_in.startswith("https:") and not url.startswith("https:")):
        return ""
    origin = found_in[: found_in.index("/", 8) + 1]
    return found_in if url.startswith(origin) else origin


def fields(url: str, found_in: str) -> list[tuple[bytes, bytes]]:
    """Return the header fields that tell it."""
    value = referrer_of(url, found_in)
    return [(b"Referer", value.encode("ascii"))] if value else []
