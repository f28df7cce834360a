"""Why the archive cannot give what was asked (*INA §2.4.2*).

Pure. Which format a fault is shown in, `kinds` guesses; `contents` writes it.
"""

from attrs import frozen


@frozen
class Fault:
    """Why the archive cannot give what was asked.

    Attributes:
        status: HTTP status of the answer.
        code: short name, for programs.
        title: a few words.
        message: one or two sentences that say what is missing and what to do.
        url: what was asked for.
        date: the reader's date, 20 digits, or empty for the newest.
        reason: what an operator wrote for readers, which `message` has too, or empty.
    """

    status: int
    code: str
    title: str
    message: str
    url: str = ""
    date: str = ""
    reason: str = ""


def unknown_url(url: str, date: str = "") -> Fault:
    """Return the fault of a URL without structure file (*INA §2.3.2*: 404)."""
    return Fault(
        404, "unknown-url", "Not in the archive",
        "The archive holds no capture of this URL, at any date.", url, date,
    )  # fmt: skip


def missing_captures(url: str, date: str, reason: str) -> Fault:
    """Return the fault of a URL that is known, and whose structure file no node gives."""
    return Fault(
        500, "missing-captures", "The captures are missing",
        f"The archive knows this URL, but no storage node gives its captures: {reason}. This is a "
        "fault of the archive itself; its operators should know.", url, date,
    )  # fmt: skip


def missing_content(url: str, date: str, content: str) -> Fault:
    """Return the fault of a capture whose content no node gives (*INA §2.3.2*: 500)."""
    return Fault(
        500, "missing-content", "The content is missing",
        "The archive knows this URL, but no storage node gives the content it had then "
        f"(SHA-256 {content}). This is a fault of the archive itself; its operators should know.",
        url, date,
    )  # fmt: skip


def unreachable(url: str, date: str, reason: str) -> Fault:
    """Return the fault of an archive whose index or nodes do not answer."""
    return Fault(
        503, "archive-unreachable", "The archive does not answer",
        f"It cannot say now what it holds of this URL: {reason}. Try again in a moment.",
        url, date,
    )  # fmt: skip


def bad_request(message: str, url: str = "") -> Fault:
    """Return the fault of a request that says nothing the archive understands."""
    return Fault(400, "bad-request", "The request is not understood", message, url)


def wrong_method(method: str, url: str) -> Fault:
    """Return the fault of a method that changes something: the past cannot be changed."""
    return Fault(
        405, "read-only", "The archive is read only",
        f"It answers GET and HEAD; {method} would ask the site itself, and nothing that is "
        "asked here reaches the live web.", url,
    )  # fmt: skip


def no_tunnel(authority: str) -> Fault:
    """Return the fault of CONNECT, by which browsers ask for https:// URLs, where it is not on."""
    return Fault(
        501, "no-https", "No https:// here",
        "The operator of this archive's proxy has turned https:// URLs off (`tls`). Ask with "
        f"http:// instead of https://{authority}/.", f"https://{authority}/",
    )  # fmt: skip


def live_unreachable(url: str, reason: str) -> Fault:
    """Return the fault of a server of the live web that gives no answer."""
    return Fault(
        502, "live-unreachable", "The live web does not answer",
        f"The server of this URL gave no answer: {reason}.", url,
    )  # fmt: skip


def live_slow(url: str, seconds: float) -> Fault:
    """Return the fault of a server of the live web that is given up."""
    return Fault(
        504, "live-slow", "The live web does not answer in time",
        f"The server of this URL has not answered within {seconds:g} seconds.", url,
    )  # fmt: skip


def live_forbidden(url: str) -> Fault:
    """Return the fault of an address of the operator's own network."""
    return Fault(
        403, "live-forbidden", "Not on the live web",
        "This address is not of the public Internet, and the archive does not go there.", url,
    )  # fmt: skip


def live_too_large(url: str, limit: int) -> Fault:
    """Return the fault of a request whose body is larger than is passed on."""
    return Fault(
        413, "live-too-large", "Too much to send",
        f"At most {limit:,} bytes are passed on to the live web in one request.", url,
    )  # fmt: skip


def live_too_long(url: str, size: int, limit: int) -> Fault:
    """Return the fault of an answer that is larger than is passed on."""
    return Fault(
        502, "live-too-long", "Too large to pass on",
        f"The answer has {size:,} bytes; the archive passes on {limit:,} of one answer. "
        "Its operator can allow more: live_size.", url,
    )  # fmt: skip


def live_busy(url: str) -> Fault:
    """Return the fault of too many requests to the live web at once."""
    return Fault(
        503, "live-busy", "Too many ask the live web now",
        "As many requests as are allowed wait for answers already. Try again in a moment.", url,
    )  # fmt: skip


def no_worker(url: str) -> Fault:
    """Return the fault of a service worker: it would outlive the visit, and the reader's date."""
    return Fault(
        403, "no-worker", "No service worker of the past",
        "An archived site may not install a script in today's browser.", url,
    )  # fmt: skip
