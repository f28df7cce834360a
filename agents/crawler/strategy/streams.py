"""Which URLs lead to streamed media, and which of these have an end (*INA §1.4.5*). Pure."""

import re

_LIST = r"m3u8?|pls|asx|wax|wvx|wmx|ram|rpm|smil?|mpd|xspf"
_FILE = (
    r"mp[234]|mpga|mpe?g|m4[asv]|m4b|og[gvax]|opus|spx|web[ma]|flac|wav|aiff?|au|aac|ac3|mka|mkv|mk3d"
    r"|avi|wm[av]|asf|mov|qt|flv|f4v|3g[p2]|ts|m2ts|rm|ra|rv|rmvb|midi?|vtt|srt|ttml|dfxp"
)
_STREAM = re.compile(
    r"(?:mms[htu]?|rts?p[stu]?|rtmp[est]*|pnm|icyx?|lastfm):"
    rf"|https?:[^?#]*\.(?:{_LIST})(?:[?#]|\Z)",
    re.IGNORECASE,
)
_ENDING = re.compile(rf"https?:[^?#]*\.(?:{_LIST}|{_FILE})(?:[?#]|\Z)", re.IGNORECASE)


def is_stream(url: str) -> bool:
    """Tell from a URL alone, of any scheme, that it leads to a stream or a list of streams."""
    return _STREAM.match(url) is not None


def has_end(url: str) -> bool:
    """Tell whether what a document calls a stream is a file of media, or a list of them.

    A stream without end would be fetched until a limit cuts it; it is only reported.
    """
    return _ENDING.match(url) is not None
