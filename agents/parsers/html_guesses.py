"""Attributes that only scripts read: whether their value is a URL, and of what.

Browsers ignore them; scripts that load images and movies late, and cards that can be clicked on,
keep URLs there under names of their own.
"""

import re
from urllib.parse import parse_qsl

_URL = re.compile(r"""[^\s<>{}"'|\\^`]++\Z""")
_MEDIA_END = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|jxl|svgz?|bmp|ico|tiff?|mp4|m4v|webm|ogv|mov|flv|mp3|ogg|oga|opus"
    r"|m4a|wav|m3u8|mpd|vtt|css|m?js|woff2?|ttf|otf|swf)(?:[?#].*+)?+\Z",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:https?://|\.{0,2}/)[^\s<>\"'|\\]*+\Z"
    r"|(?:[\w\-.]++/)*+[\w\-]++\.(?:s?html?|php\d?|aspx?|jsp|cgi)(?:[?#]\S*+)?+\Z",
    re.IGNORECASE,
)
_SHORT = 2000  # characters of a URL
_VARIABLES = 100  # of a movie


def is_url(value: str) -> bool:
    """Tell whether a value is a URL, as those of its attribute mostly are, not `true` or `3.5`."""
    value = value.strip()
    told = ("/" in value or "." in value) and not value.replace(".", "").isdigit()
    return told and len(value) < _SHORT and _URL.match(value) is not None


def is_place(value: str) -> bool:
    """Tell whether a choice of a menu is a page to go to: more than `M/F` and `Europe/Paris`."""
    return 1 < len(value) < _SHORT and _PLACE.match(value) is not None


def is_media(value: str) -> bool:
    """Tell whether the value of an attribute of unknown meaning is the URL of a component.

    Its name must end as those of images, movies, fonts, scripts and style sheets do.
    """
    return 4 < len(value) < _SHORT and _URL.match(value) is not None and _ends(value)


def media_of_variables(variables: str) -> list[str]:
    """Return the URLs of media among the variables that a Flash movie is given."""
    try:
        values = parse_qsl(variables, max_num_fields=_VARIABLES)
    except ValueError:
        return []
    return [value for _, value in values if is_media(value)]


def _ends(value: str) -> bool:
    query = min(value.find(mark) % (_SHORT + 1) for mark in "?#")
    return _MEDIA_END.match(value, value.rfind(".", 0, query)) is not None
