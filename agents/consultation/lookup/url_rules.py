"""The table of what in a URL does not say which document is meant, as it is written."""

from pathlib import Path
from typing import Literal

from attrs import field, frozen

from agents.configuration import ConfigurationError
from agents.configuration.document import compose
from agents.configuration.typed import Reader

_SHIPPED = Path(__file__).with_name("fuzzy.yaml")

Kind = Literal["any", "number", "moment", "random", "callback"]


@frozen
class Drop:
    """Parameters that are left out.

    Attributes:
        names: in lower case; one that ends or begins in `*` stands for all that begin or end so.
        value: what their value must look like.
    """

    names: list[str] = field(factory=list)
    value: Kind = "any"


@frozen
class Site:
    """An address of which only some parameters say what is meant.

    Attributes:
        host: it, or one below it.
        path: how paths begin there.
        keep: names of these parameters, in lower case.
        any_host: whether all hosts below are held equal to it.
    """

    host: str = ""
    path: str = "/"
    keep: list[str] = field(factory=list)
    any_host: bool = False


@frozen
class UrlRules:
    """The table.

    Attributes:
        index_pages: names, in lower case, of the page that a folder gives.
        drop: parameters that are left out everywhere but in `sites`.
        sites: addresses with rules of their own.
    """

    index_pages: list[str] = field(factory=list)
    drop: list[Drop] = field(factory=list)
    sites: list[Site] = field(factory=list)


def read_rules(path: Path | None = None) -> UrlRules:
    """Return the rules of an operator's file; without one, those that come with the package.

    Raises:
        ConfigurationError: the file cannot be read, or is no such table.
    """
    file = path or _SHIPPED
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(str(file), 0, "url_rules", f"cannot be read: {error}") from None
    return Reader(str(file)).instance(compose(text, str(file)), UrlRules, "")
