"""The `srcset` attribute: candidates of an image, as the HTML standard splits them."""

import re
from collections.abc import Iterator

_BETWEEN = re.compile(r"[\s,]*+")
_URL = re.compile(r"\S++")
# Up to the comma that ends the candidate; one within parentheses does not.
_DESCRIPTORS = re.compile(r"(?:[^(),]++|\([^)]*+\)?|\))*+")


def candidates(value: str) -> Iterator[str]:
    """Yield the URLs of a `srcset` or `imagesrcset` value, in order."""
    position = _end(_BETWEEN, value, 0)
    while position < len(value):
        end = _end(_URL, value, position)
        url = value[position:end].rstrip(",")
        if url:
            yield url
        if end - position == len(url):  # a URL that ends with a comma has no descriptors
            end = _end(_DESCRIPTORS, value, end)
        position = _end(_BETWEEN, value, end)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return position if found is None else found.end()
