"""Quantities as people write them."""

from math import isfinite

_BYTE_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")


def human_bytes(count: float) -> str:
    """Return a number of bytes in decimal units: `1.50 MB`, `12 bytes`."""
    if not isfinite(count):
        return "–"
    size, unit = float(count), 0
    while abs(size) >= 999.5 and unit < len(_BYTE_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{human_number(int(size) if unit == 0 else size)} {_BYTE_UNITS[unit]}"


def human_seconds(seconds: float) -> str:
    """Return a duration with its two largest units: `3 d 4 h`, `2 min 05 s`, `12.5 ms`."""
    if not isfinite(seconds):
        return "–"
    if seconds < 0:
        return "-" + human_seconds(-seconds)
    if seconds == 0:
        return "0 s"
    if seconds < 1:
        return _below_a_second(seconds)
    if seconds < 60:
        return f"{human_number(round(seconds, 1))} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes:02} min"
    return f"{human_number(hours // 24)} d {hours % 24} h"


def human_number(number: float) -> str:
    """Return a number with its thousands apart; a fraction keeps three figures."""
    if isinstance(number, int):
        return f"{number:,}"
    if not isfinite(number):
        return "–"
    if number == int(number) or abs(number) >= 100:
        return f"{round(number):,}"
    return f"{number:.2f}" if abs(number) < 10 else f"{number:.1f}"


def _below_a_second(seconds: float) -> str:
    if seconds < 0.0005:
        return f"{human_number(round(seconds * 1e6))} µs"
    milliseconds = seconds * 1000
    return f"{human_number(round(milliseconds, 1 if milliseconds < 10 else 0))} ms"
