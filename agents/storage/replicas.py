"""How many replicas are wanted of what: the rules, read from a policy file (*INA §2.3.1*).

The paper names four points: the content itself, how often it is referred to, the hardware it is
stored on, and where that stands. The first two decide what a rule is about, the others how
replicas are counted: each is worth what its node says of its hardware (`NodeStatus.safety`), and
they must be in different places (`NodeStatus.place`).
"""

from pathlib import Path
from typing import Any, Literal

from attrs import field, frozen, validators

from agents.configuration.document import compose
from agents.configuration.errors import ConfigurationError
from agents.configuration.typed import Reader
from agents.storage.disk.layout import Kind

_worth: Any = [validators.ge(1), validators.le(100)]
_count: Any = [validators.ge(1), validators.le(100)]
_not_negative = validators.ge(0)


@frozen
class Wanted:
    """What all replicas of something must come to.

    Attributes:
        worth: the sum of what each is worth; an ordinary node's is 1.
        places: how many different places they must be in, as far as there are as many.
        level: how many parts of a place tell two apart: 1 for the site of "paris/room-2/rack-7".
    """

    worth: float = 2.0
    places: int = 1
    level: int = 1


@frozen
class Rule:
    """What is wanted of everything that a rule fits; a condition left out fits all.

    Attributes:
        replicas: what the replicas must be worth together.
        places: how many different places they must be in.
        kind: "contents", "structures", or "any".
        smaller_than: bytes that a content must have less of; structure files are small.
        references: captures that refer to a content, at least.
        dates: captures of a URL in a structure file, at least.
    """

    replicas: float = field(default=1.0, validator=_worth)
    places: int = field(default=1, validator=_count)
    kind: Literal["any", "contents", "structures"] = "any"
    smaller_than: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    references: int = field(default=0, validator=_not_negative)
    dates: int = field(default=0, validator=_not_negative)

    def fits(self, kind: Kind, size: int, references: int, dates: int) -> bool:
        """Tell whether it is about something."""
        return (
            self.kind in ("any", kind)
            and (self.smaller_than is None or size < self.smaller_than)
            and references >= self.references
            and dates >= self.dates
        )


@frozen
class Rules:
    """The policy: what is wanted of all, and rules that ask for more.

    Attributes:
        replicas: what the replicas of everything must be worth together.
        places: how many different places they must be in, as far as there are as many.
        level: how many parts of a place tell two apart.
        rules: of those that fit, the most that one asks for counts; their order does not matter.
    """

    replicas: float = field(default=2.0, validator=_worth)
    places: int = field(default=2, validator=_count)
    level: int = field(default=1, validator=[validators.ge(1), validators.le(10)])
    rules: tuple[Rule, ...] = ()

    def wanted(self, kind: Kind, size: int = 0, references: int = 0, dates: int = 0) -> Wanted:
        """Return what is wanted of something.

        Args:
            kind: contents or structures.
            size: bytes of a content; 0 of a structure file.
            references: captures known to refer to a content.
            dates: captures in a structure file.
        """
        fitting = [rule for rule in self.rules if rule.fits(kind, size, references, dates)]
        return Wanted(
            max([self.replicas, *(rule.replicas for rule in fitting)]),
            max([self.places, *(rule.places for rule in fitting)]),
            self.level,
        )

    def wanted_of(self, kind: Kind, size: int, references: int = 0) -> Wanted:
        """Return what is wanted of what a log of additions tells of (see `Entry.size`)."""
        if kind == "structures":
            return self.wanted(kind, dates=size)
        return self.wanted(kind, size, references)


def read_rules(path: Path | None, replicas: float) -> Rules:
    """Return the rules of a policy file; without one, `replicas` of everything.

    Raises:
        ConfigurationError: it cannot be read, is not YAML, or says what no rule can.
    """
    rules = Rules(replicas=replicas)
    if path is None:
        return rules
    file = str(path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(file, 0, "", f"expected a file of rules: {error}") from None
    return Reader(file).instance(compose(text, file), Rules, "")
