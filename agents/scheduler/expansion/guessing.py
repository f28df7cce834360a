"""The site of a URL that no known site has: start URL, bounds and why (*INA §1.5.1*). Pure.

A site is a host and its twin with or without `www.`; or a folder, where many sites live on one
host. `hosting.yaml` tells where they do.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen
from publicsuffixlist import PublicSuffixList

from agents import urls
from agents.scheduler.expansion.anchors import address_of

RULES = Path(__file__).with_name("hosting.yaml")
PLAIN = "site"  # the kind of a site that no rule knows
_NAME = r"[^/]{1,150}"
_DOCUMENT = re.compile(
    r"\.(?:[a-z]?html?|php\d?|aspx?|jsp|cgi|pl|txt|xml|rss|ico|css|js|json|png|jpe?g|gif|svg|pdf)\Z",
    re.IGNORECASE,
)
_TILDE = re.compile("^/%7e", re.IGNORECASE)  # which canonical URLs keep as it is written
_SPECIAL = re.compile(r"([\\*$()\s])")


@frozen
class Guess:
    """A site as it is guessed from the URL of one of its pages.

    Attributes:
        start_url: where it begins; canonical.
        accept: expression of what belongs to it.
        reject: expression of what does not, although accepted.
        kind: blog, forum, personal pages, code, media, social, pages, or site.
        reasons: how it was guessed, in words.
    """

    start_url: str
    accept: str
    reject: str
    kind: str
    reasons: tuple[str, ...]


@frozen
class Template:
    """How the path of a site begins, on a host of many.

    Attributes:
        text: as the rule writes it.
        regex: of the beginning of a path.
        kind: of such sites.
        why: one line for the page of a site.
        own: first segments that name no site.
        slash: whether its start URL ends with a slash.
        loose: whether a guess of the host leaves the folder in.
    """

    text: str
    regex: re.Pattern[str]
    kind: str
    why: str
    own: frozenset[str]
    slash: bool
    loose: bool

    @property
    def family(self) -> str:
        """How the paths of all such sites begin."""
        return self.text.partition("{")[0]

    def found(self, path: str) -> str | None:
        """Return how the path of the site begins that a path belongs to, without a last slash."""
        match = self.regex.match(path)
        if match is None or match[0].split("/")[1] in self.own:
            return None
        names = [name for name in match.groups() if name is not None]
        if any(_DOCUMENT.search(name) for name in names):
            return None
        if self.loose and names and (names[-1].isdigit() or path == match[0]):
            return None
        return match[0]


def guess_site(url: str) -> Guess:
    """Guess the site of a URL; the guess of its start URL is the same site.

    Raises:
        ValueError: the URL is not an absolute http or https URL of a host that DNS can name.
    """
    start = urls.canonical(url)
    if start is None or not address_of(start).hosts:
        raise ValueError(f"{url[:200]!r} is not an http or https URL of a host")
    scheme, _, authority, rest = start.split("/", 3)
    path = _TILDE.sub("/~", "/" + rest.partition("?")[0])
    name, _ = urls.split_port(authority)
    base = _without_www(name)
    for template in (*_platform(base), *_templates().get("*", ())):
        folder = template.found(path)
        if folder:
            return _folder(f"{scheme}//{authority}", folder, template)
    return _host(f"{scheme}//{authority}", path, base)


def _folder(origin: str, folder: str, template: Template) -> Guess:
    """Return the site that is a folder of a host."""
    hosts, reasons = _hosts(origin)
    accept = " OR ".join(
        f"//{host}{_quoted(spelling)}{end}"
        for host in hosts
        for spelling in _spellings(folder)
        for end in ("/", "$", "?")
    )
    reasons = (f"{template.why}: the site is the folder {folder}", *reasons)
    return Guess(origin + folder + "/" * template.slash, accept, "", template.kind, reasons)


def _host(origin: str, path: str, base: str) -> Guess:
    """Return the site that is a host, without the folders that are sites of their own."""
    hosts, reasons = _hosts(origin)
    templates = [*_platform(base), *_templates()["*"]]
    families = dict.fromkeys(each.family for each in templates if each.text and not each.loose)
    kind = next((each.kind for each in _platform(base) if not each.text), PLAIN)
    told = [each.why for each in _platform(base) if not each.text] + list(_suffix(base))
    if path != "/":
        told.append("a site is taken to begin at the root of its host")
    if "/" in families:
        told.append("each folder of this host is a site of its own: of the host's, the home page")
        accept = " OR ".join(f"//{host}/{end}" for host in hosts for end in ("$", "?"))
        return Guess(f"{origin}/", accept, "", kind, (*told, *reasons))
    told.append(f"what begins with {' or '.join(families)} is a site of its own")
    accept = " OR ".join(f"//{host}" for host in hosts)
    reject = " OR ".join(each for family in families for each in _spellings(family))
    return Guess(f"{origin}/", accept, reject, kind, (*told, *reasons))


def _hosts(origin: str) -> tuple[list[str], tuple[str, ...]]:
    """Return a host and its twin with their port, as patterns write them, and why."""
    name, port = urls.split_port(urls.authority(origin))
    base = _without_www(name)
    end = "" if port is None else f":{port}"
    reasons = () if port is None else (f"the port {port} has a server of its own",)
    if urls.is_address(base):
        return [_quoted(base) + end], (*reasons, "an IP address has no twin with www.")
    if "." not in base or base.startswith("www.") or _is_registry(base):
        return [_quoted(base) + end], reasons
    twins = (base, f"www.{base}")
    return (
        [_quoted(one) + end for one in twins],
        (*reasons, f"{twins[0]} and {twins[1]} are taken for one host"),
    )


def _spellings(path: str) -> tuple[str, ...]:
    """Return how a path is written in links: of old, many wrote `~` as `%7E`."""
    return (path, path.replace("/~", "/%7E", 1)) if path.startswith("/~") else (path,)


def _suffix(base: str) -> Iterator[str]:
    suffix = _suffixes().publicsuffix(base)
    if suffix and suffix != base and not _is_registry(suffix):
        yield f"{suffix} is a public suffix: each name below it is somebody else's"


def _without_www(name: str) -> str:
    """Return a host without `www.`, unless that is the very name that was registered."""
    rest = name.removeprefix("www.")
    return name if rest.startswith("www.") or _is_registry(rest) else rest


def _is_registry(name: str) -> bool:
    """Tell whether anybody may register names below a name: `fr`, `co.uk`."""
    return bool(_registries().is_public(name))


def _platform(base: str) -> tuple[Template, ...]:
    """Return the templates of a host, or else of the nearest name above that has some."""
    rules, name = _templates(), base
    if base in rules:
        return rules[base]
    while name:
        name = name.partition(".")[2]
        if f".{name}" in rules:
            return rules[f".{name}"]
    return ()


def _quoted(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=1)
def _registries() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True)


@lru_cache(maxsize=1)
def _templates() -> dict[str, tuple[Template, ...]]:
    """Read the rules: the templates of each host."""
    found: dict[str, tuple[Template, ...]] = {}
    for rule in yaml.safe_load(RULES.read_text("utf-8")):
        templates = tuple(_template(text, rule) for text in rule["sites"])
        for host in rule["hosts"]:
            found[host] = (*found.get(host, ()), *templates)
    return found


def _template(text: str, rule: dict[str, Any]) -> Template:
    regex = re.escape(text).replace(r"\{\}", f"({_NAME})").replace(r"\{\#\}", r"(\d+)")
    return Template(
        text,
        re.compile(f"{regex}(?=/|\\Z)" if text else r"(?!)"),
        rule["kind"],
        rule["why"],
        frozenset(rule.get("own", ())),
        rule.get("slash", True),
        rule.get("loose", False),
    )
