"""How a crawl differs from what is usual for its site; kept with the site until it falls due."""

from functools import cache
from typing import Any, TypeVar

import msgspec
from attrs import frozen

_NOTHING = "{}"

_Value = TypeVar("_Value")


@frozen
class CrawlPlan:
    """What is planned for one crawl.

    Attributes:
        maximum_depth: page links followed at most; null means as many as the site's bounds let.
        quick: whether only what has changed is asked for, with conditional requests.
        judged: whether the site is judged by it: one that is not whole says too little.
        urls: collected besides the start, such as pages that a feed has told of.
        reason: why it is made, for people.
    """

    maximum_depth: int | None = None
    quick: bool = False
    judged: bool = True
    urls: tuple[str, ...] = ()
    reason: str = ""

    @property
    def whole(self) -> bool:
        """Whether the crawl goes as far as the site's bounds let."""
        return self.maximum_depth is None and not self.urls


def read(text: str, kind: type[_Value]) -> _Value:
    """Return a value that the database keeps as JSON; what it does not say is as by default."""
    if text == _NOTHING:
        default: _Value = _default(kind)  # type: ignore[arg-type]  # classes are hashable
        return default
    return msgspec.json.decode(text, type=kind)


@cache  # settings of nearly all sites
def _default(kind: Any) -> Any:
    return msgspec.json.decode(_NOTHING, type=kind)


def written(value: Any) -> str:
    """Return a value as JSON for the database."""
    return msgspec.json.encode(value).decode()
