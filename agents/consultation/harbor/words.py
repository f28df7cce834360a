"""What the harbor says, in the reader's language: texts, numbers, dates, sizes and spans of time.

The texts of each language are a table of one module, without machinery: `english`, `french`.
"""

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from agents import dates
from agents.consultation.harbor.english import ENGLISH
from agents.consultation.harbor.french import FRENCH

_TABLES: dict[str, Mapping[str, str]] = {"en": ENGLISH, "fr": FRENCH}
LANGUAGES = tuple(_TABLES)
"""The languages that there are."""

_SINGULAR = {"en": (1,), "fr": (0, 1)}  # numbers of which a thing is not many
_UNITS = (("days", 86400), ("hours", 3600), ("minutes", 60))
_RANGE = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,40})?\s*(?:;\s*q=([0-9.]{1,6}))?\s*")


@frozen
class Words:
    """Says things in one language.

    Attributes:
        language: `en` or `fr`.
    """

    language: str = "en"

    def say(self, key: str, **values: object) -> str:
        """Return a text as plain text, `{names}` in it replaced."""
        return _TABLES[self.language][key].format(**values)

    def count(self, key: str, number: int, **values: object) -> str:
        """Return a text that counts things: that of `key.one` or that of `key.many`."""
        form = "one" if number in _SINGULAR[self.language] else "many"
        return self.say(f"{key}.{form}", count=self.number(number), **values)

    def number(self, number: float, digits: int = 0) -> str:
        """Return a number with its thousands apart."""
        text = f"{number:,.{digits}f}"
        signs = {",": self.say("number.thousands"), ".": self.say("number.point")}
        return "".join(signs.get(sign, sign) for sign in text)

    def size(self, count: int) -> str:
        """Return a number of bytes."""
        units = self.say("size.units").split(" ")
        size, place = float(count), 0
        while size >= 999.5 and place < len(units) - 1:
            size, place = size / 1000, place + 1
        digits = 1 if place and size < 99.5 else 0
        return self.say("size", number=self.number(size, digits), unit=units[place])

    def day(self, date: str) -> str:
        """Return the day of a date of 8 digits or more: `3 January 2020`."""
        day = int(date[6:8])
        key = "day.first" if day == 1 else "day"
        return self.say(key, day=day, month=self.month(int(date[4:6])), year=date[:4])

    def moment(self, date: str) -> str:
        """Return a date of 20 digits to the second: `3 January 2020, 07:30:00 UTC`."""
        time = f"{date[8:10]}:{date[10:12]}:{date[12:14]}"
        return self.say("moment", day=self.day(date), time=time)

    def month(self, number: int) -> str:
        """Return the name of a month, 1 to 12."""
        return self.say("months").split(" ")[number - 1]

    def span(self, seconds: float) -> str:
        """Return about how long something takes, in the largest unit that fits."""
        for unit, size in _UNITS:
            if abs(seconds) >= size:
                return self.count(f"span.{unit}", round(abs(seconds) / size))
        return self.count("span.seconds", round(abs(seconds)))

    def from_page(self, date: str, page: str) -> str:
        """Return how far a date lies from that of a page: `3 days later`."""
        gap = (dates.to_datetime(date) - dates.to_datetime(page)).total_seconds()
        if abs(gap) < 1:
            return self.say("gap.none")
        return self.say("gap.later" if gap > 0 else "gap.earlier", span=self.span(gap))


def chosen_language(choice: str, accepted: str, offered: Sequence[str]) -> str:
    """Return the language to speak: what the reader chose, else what their browser prefers.

    Args:
        choice: of the reader, or empty.
        accepted: the `Accept-Language` field of a request.
        offered: the languages of this archive; the first one serves who prefers none of them.
    """
    if choice in offered:
        return choice
    wishes: list[tuple[float, str]] = []
    for part in accepted[:1000].split(","):
        found = _RANGE.fullmatch(part)
        if found is not None and found[1].lower() in offered:
            wishes.append((_weight(found[2]), found[1].lower()))
    best = max(wishes, key=lambda wish: wish[0], default=(0.0, ""))
    return best[1] if best[0] > 0 else offered[0]


def _weight(text: str | None) -> float:
    try:
        return 1.0 if text is None else float(text)
    except ValueError:
        return 0.0
