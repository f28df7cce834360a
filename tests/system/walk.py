"""An independent walk over the links of a site; shares nothing with the project.

Finds what a reader's browser could reach: `html.parser` for pages, a regular expression for
style sheets, `urllib` for the rest.
"""

import re
from collections import deque
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import Request, urlopen

_URL_ATTRIBUTES = {"href", "src", "data", "poster", "background", "action", "cite", "longdesc"}
_CSS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']""")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.base = ""
        self._style = False

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        if tag == "base":
            self.base = self.base or values.get("href", "")
            return
        self._style = tag == "style"
        for name, value in values.items():
            if name in _URL_ATTRIBUTES and not (tag == "form" and name == "action"):
                self.found.append(value)
            elif name in ("srcset", "imagesrcset"):
                self.found += [part.split()[0] for part in value.split(",") if part.split()]
            elif name == "style":
                self.found += _css_links(value)
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self.found += re.findall(r"url=\s*['\"]?([^'\"]+)", values.get("content", ""), re.I)

    def handle_data(self, data):
        if self._style:
            self.found += _css_links(data)

    def handle_endtag(self, tag):
        self._style = False


def _css_links(text: str) -> list[str]:
    return [
        first or second
        for first, second in _CSS.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    ]


def _links(url: str, kind: str, body: bytes) -> list[str]:
    text = body.decode("utf-8", "replace")
    if "html" in kind:
        parser = _Links()
        parser.feed(text)
        base = urljoin(url, parser.base)
        return [urljoin(base, link.strip()) for link in parser.found if link.strip()]
    if "css" in kind:
        return [urljoin(url, link) for link in _css_links(text)]
    return []


def walk(start: str) -> set[str]:
    """Return every URL of the start's server that links lead to and that answers 200."""
    server = urlsplit(start).netloc
    seen, found = {start}, set()
    queue = deque([start])
    while queue:
        url = queue.popleft()
        try:
            with urlopen(Request(url), timeout=10) as answer:
                body, kind = answer.read(), answer.headers.get("Content-Type", "")
        except OSError:
            continue
        found.add(url)
        for link in _links(url, kind, body):
            target = urldefrag(link)[0]
            if urlsplit(target)[:2] == ("http", server) and target not in seen:
                seen.add(target)
                queue.append(target)
    return found
