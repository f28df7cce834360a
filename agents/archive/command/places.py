"""Where a person looks at an archive: addresses, and a command that opens a browser: pure."""

import shlex
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from attrs import frozen

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave")


@frozen
class Places:
    """Addresses of a running archive.

    Attributes:
        archive: the supervisor's page.
        scheduler: the scheduler's page.
        crawlers: pages of the site crawlers that worked.
        harbor: the harbor for those who have not set a proxy.
        proxy: "host:port" of the proxy.
        lookup: how the proxy finds captures, or empty when not known.
    """

    archive: str
    scheduler: str
    crawlers: tuple[str, ...]
    harbor: str
    proxy: str
    lookup: str = ""


def where_to_look(places: Places, start_url: str, browser: str, as_root: bool = False) -> list[str]:
    """Return the lines that tell a person where to go now."""
    lookup = f"  (finds captures by {places.lookup})" if places.lookup else ""
    lines = [
        "Where to look:",
        f"  the archive    {places.archive}",
        f"  the scheduler  {places.scheduler}",
    ]
    lines += [f"  the crawler    {page}" for page in places.crawlers]
    lines += [
        f"  the harbor     {places.harbor}  (http://dlweb/ through the proxy)",
        f"  the proxy      {places.proxy}{lookup}",
        "",
        "Walk the archived web with a browser of its own:",
        f"  {browser_command(places.proxy, start_url, browser, as_root)}",
        "or with any program that takes a proxy:",
        f"  curl --proxy {places.proxy} {shlex.quote(archived_address(start_url))}",
    ]
    return lines


def browser_command(proxy: str, url: str, browser: str, as_root: bool = False) -> str:
    """Return a command line that opens a URL in a fresh browser, through the proxy.

    The browser has a folder of its own, so that it neither joins one that is running nor keeps
    anything; even loopback goes through the proxy (`<-loopback>`), and http stays http.
    """
    arguments = [
        browser,
        f"--proxy-server={proxy}",
        "--proxy-bypass-list=<-loopback>",
        "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
        "--no-first-run",
    ]
    if as_root:
        arguments.append("--no-sandbox")
    quoted = " ".join(shlex.quote(argument) for argument in arguments)
    return f'{quoted} --user-data-dir="$(mktemp -d)" {shlex.quote(archived_address(url))}'


def installed_browser(which: Callable[[str], str | None]) -> str:
    """Return the name of a browser of the Chromium family that is installed, or `chromium`."""
    return next((name for name in _CHROMIUMS if which(name)), _CHROMIUMS[0])


def archived_address(url: str) -> str:
    """Return the address under which the proxy gives a URL: always http, which it can answer.

    A proxy cannot look into an encrypted connection; asked for the http address it gives what
    was collected from the https one.
    """
    parts = urlsplit(url)
    return parts._replace(scheme="http").geturl() if parts.scheme == "https" else url


def names_private_network(url: str, is_own: Callable[[str], bool]) -> bool:
    """Tell whether a URL names an address of one's own network, so that fetching it is meant.

    Args:
        url: what the operator wrote.
        is_own: whether a host, as written, is loopback or a private address.
    """
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    return host is not None and is_own(host)


def split_by_network(
    urls: Sequence[str], is_own: Callable[[str], bool], all_private: bool
) -> list[tuple[bool, list[str]]]:
    """Return the URLs as (private networks allowed, URLs) groups, empty ones left out."""
    groups: dict[bool, list[str]] = {False: [], True: []}
    for url in urls:
        groups[all_private or names_private_network(url, is_own)].append(url)
    return [(private, group) for private, group in groups.items() if group]
