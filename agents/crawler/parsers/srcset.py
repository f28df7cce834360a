"""The `srcset` attribute: candidates of an image, as the HTML standard splits them."""

import re
from collections.abc import Iterator

# White space and commas, the URL up to white space, then descriptors up to a comma that is not
# within parentheses. A URL that ends with commas has no descriptors.
_CANDIDATE = re.compile(
    r"[\s,]*+(?P<url>[^\s]++)(?P<descriptors>(?<!,)(?:[^(),]++|\([^)]*+(?:\)|\Z)|\))*+)"
)


def candidates(value: str) -> Iterator[str]:
    """Yield the URLs of a `srcset` or `imagesrcset` value, in order."""
    for found in _CANDIDATE.finditer(value):
        url = found["url"].rstrip(",")
        if url:
            yield url
