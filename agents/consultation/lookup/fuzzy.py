"""URLs that mean the same document though they are not the same text. Pure.

Every canonical URL has one fuzzy form; two URLs are held equal when their forms are. The form
leaves out what does not say which document is meant: scheme, `www.`, upper case, identifiers of
sessions, the order of parameters, those that only keep caches from answering, and more. What that
is stands in one table (`fuzzy.yaml`), of names and of kinds of values: nobody writes an expression
that could take long, and a form costs time in proportion to the URL.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote_to_bytes

from agents import urls
from agents.consultation.lookup.url_rules import Drop, Kind, Site, UrlRules
from agents.session_ids import without_session

ALIKE = 10  # URLs that are offered for one that is not there
_POSTED = "__wb_"  # parameters that stand for the body of a request, which says what is meant
_PARAMETERS = 200  # more than any page has; the rest stays as it is
_PASSES = 4  # a form that is not settled after these is hostile
_SAFE = "!\"$'()*+,/:;<>@[\\]^_`{|}~"  # in a part of a form, beside letters and digits

_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(r"//+")
_KINDS: dict[Kind, re.Pattern[str]] = {
    "any": re.compile(r""),
    "number": re.compile(r"[0-9]+(?:\.[0-9]+)?\Z"),
    "moment": re.compile(r"[12][0-9]{9}(?:\.?[0-9]{3}){0,2}\Z"),
    "random": re.compile(
        r"(?:[0-9]{6,}|[0-9]*+\.[0-9]+|(?=[a-z]*+[0-9])(?=[0-9]*+[a-z])[0-9a-z]{8,})\Z"
    ),
    "callback": re.compile(r"[a-z_$.]*+[0-9]{5}[0-9a-z_]*\Z"),
}


class Fuzzy:
    """The rules, ready to be used.

    Args:
        rules: as they are written.
    """

    def __init__(self, rules: UrlRules) -> None:
        self._index_pages = frozenset(rules.index_pages)
        self._whole: dict[str, list[re.Pattern[str]]] = {}
        self._begun: list[tuple[str, re.Pattern[str]]] = []
        self._ended: list[tuple[str, re.Pattern[str]]] = []
        for drop in rules.drop:
            self._add(drop)
        self._sites: dict[str, list[Site]] = {}
        for site in rules.sites:
            self._sites.setdefault(site.host, []).append(site)

    def _add(self, drop: Drop) -> None:
        kind = _KINDS[drop.value]
        for name in drop.names:
            if name.endswith("*"):
                self._begun.append((name[:-1], kind))
            elif name.startswith("*"):
                self._ended.append((name[1:], kind))
            else:
                self._whole.setdefault(name, []).append(kind)

    def form(self, url: str) -> str:
        """Return the fuzzy form of a canonical URL; the form of a form is itself.

        A URL that stands for a request with a body is left as it is.
        """
        if _POSTED in url:
            return url
        form = self._pass(url)
        for _ in range(_PASSES):
            before, form = form, self._pass(form)
            if form == before:
                return form
        return url

    def _pass(self, url: str) -> str:
        url = without_session(url)
        host = _WWW.sub("", urls.host(url), count=1) or urls.host(url)
        port = urls.split_port(urls.authority(url))[1]
        path, _, query = urls.target(url).partition("?")
        path = self._path(path)
        site = self._site(host, path)
        host = site.host if site is not None and site.any_host else host
        parameters = sorted(self._kept(query.split("&", _PARAMETERS), site))
        return (
            f"http://{host}{'' if port in (None, 80, 443) else f':{port}'}{path}"
            + ("?" if parameters else "")
            + "&".join(parameters)
        )

    def _path(self, path: str) -> str:
        parts = _SLASHES.sub("/", _part(path)).rstrip("/").split("/")
        while len(parts) > 1 and (parts[-1] in self._index_pages or not parts[-1]):
            parts.pop()
        return "/".join(parts) or "/"

    def _site(self, host: str, path: str) -> Site | None:
        """Return the rule of an address, of the narrowest host that has one."""
        while host:
            for site in self._sites.get(host, ()):
                if path.startswith(site.path):
                    return site
            host = host.partition(".")[2]
        return None

    def _kept(self, parameters: Iterable[str], site: Site | None) -> Iterator[str]:
        for parameter in parameters:
            name, equals, value = parameter.partition("=")
            name, value = _part(name), _part(value)
            kept = not self._is_dropped(name, value) if site is None else name in site.keep
            if kept and (name or value):
                yield name + (equals and value and "=" + value)

    def _is_dropped(self, name: str, value: str) -> bool:
        kinds = list(self._whole.get(name, ()))
        kinds += [kind for begin, kind in self._begun if name.startswith(begin)]
        kinds += [kind for end, kind in self._ended if name.endswith(end)]
        return any(kind.match(value) for kind in kinds)


def best(url: str, found: Iterable[str]) -> list[str]:
    """Return archived URLs of the form of a URL, the closest to it first, and never itself.

    Closest are those with most parameters in common and fewest others, then of the same host and
    scheme.
    """
    return sorted({each for each in found if each != url}, key=lambda each: _far(url, each))[:ALIKE]


def _far(url: str, other: str) -> tuple[int, bool, bool, str]:
    ours, theirs = (set(each.partition("?")[2].split("&", _PARAMETERS)) for each in (url, other))
    return (
        len(ours ^ theirs),
        urls.authority(url) != urls.authority(other),
        url.partition(":")[0] != other.partition(":")[0],
        other,
    )


def _part(text: str) -> str:
    """Return a path, or a name or value of a parameter, in lower case and encoded in one way."""
    if "%" not in text:
        return text.lower()
    return quote(unquote_to_bytes(text).lower(), safe=_SAFE).lower()
