"""What scripts link to, found in their strings without running them.

A string is a link when it looks like a URL that a page would use, or like any URL at all where the
script uses it as one: in `import`, `fetch`, `.src =` and the like. A string that is joined to
others is only a part of a URL, and left to `evaluate`. Strings that hold HTML are read as such.
"""

import re
from collections.abc import Iterator

from agents import urls
from agents.parsers.javascript.tokens import String, strings
from agents.parsers.javascript.written import read_html
from agents.parsers.link import Found, Link, component, page, stream

URL_LIMIT = 2048  # characters of a string that is looked at as a URL
HTML_LIMIT = 64 * 1024  # characters of a string that is read as HTML
_BEFORE = 80  # characters looked at before a string, to see what it is used for

_SHOWN = "png|jpe?g|gif|webp|avif|svgz?|ico|bmp|cur|css|woff2?|ttf|otf|eot|swf|wasm|webmanifest"
_PLAYED = "mp3|mp4|m4a|m4v|ogg|oga|ogv|webm|wav|flac|mov|avi|wmv|flv|m3u8|mpd|vtt|srt"
_LOADED = "js|mjs|json|jsonp|geojson|xml|csv|tsv|txt|glb|gltf|bin"
_RESOURCE = rf"\.(?:{_SHOWN}|{_PLAYED}|{_LOADED})"
_DOCUMENT = (
    r"\.(?:html?|xhtml|shtml|php\d?|phtml|aspx?|jspx?|cgi|pl|cfm|do|action|pdf|docx?|xlsx?|pptx?"
    r"|odt|ods|rtf|zip|rss|atom)"
)
_QUERY = r"(?:[?#][^\s<>\"'`\\{}|^]*+)?"
_HOST = r"(?:[a-z0-9](?:[a-z0-9\-]*+)(?:\.[a-z0-9][a-z0-9\-]*+)++|localhost)(?::\d{1,5})?"
_NAME = r"[\w\-.~%!$&()+,;=@]"
_PATH = rf"(?:/{_NAME}*+|{_NAME}++/)(?:/?{_NAME}*+)*"
_IGNORE = re.IGNORECASE

_ABSOLUTE = re.compile(rf"(?:https?:)?//{_HOST}(?:[/?\#][^\s<>\"'`\\{{}}|^]*+)?\Z", _IGNORE)
_STREAM = re.compile(r"(?:rtsp|rtmpe?|rtmpt|mms)://[^\s<>\"'`\\]++\Z", _IGNORE)
_FOLDERS = re.compile(rf"(?:/{_NAME}++){{2,}}+/?{_QUERY}\Z|/{_NAME}++/{_QUERY}\Z", _IGNORE)
_FILE = re.compile(
    rf"(?:\.{{0,2}}/)*+(?:{_NAME}++/)*+[\w\-~%!$&()+,;=@][\w\-.~%!$&()+,;=@]*?"
    rf"(?:(?P<resource>{_RESOURCE})|(?P<document>{_DOCUMENT})){_QUERY}\Z",
    _IGNORE,
)
_REFERENCE = re.compile(r"(?!\.\Z)[\w\-.~%!$&()+,;=@:/?\#\[\]*]++\Z", _IGNORE)
_ENDING = re.compile(rf"(?:(?P<resource>{_RESOURCE})|{_DOCUMENT})(?:[?#]|\Z)", _IGNORE)
_HTML = re.compile(r"<[a-z!][^>]{0,300}?\s[\w:\-]{2,30}\s*+=", _IGNORE)
# Names of vocabularies look like URLs, but nobody goes there.
_NAMESPACE = re.compile(
    r"(?:https?:)?//(?:(?:www\.)?w3\.org|schema\.org|purl\.org|xmlns\.com|ogp\.me|ns\.adobe\.com"
    r"|schemas\.\w+\.\w+|(?:www\.)?example\.(?:com|org|net))(?:[/\#]|\Z)",
    _IGNORE,
)

_IMPORT = re.compile(r"(?:(?<![\w.$])(?:import|from)\s*+\(?|(?<![\w.$])__?import\()\s*+\Z")
_NEW_URL = re.compile(r"\bnew\s++URL\(\s*+\Z")
_INCLUDED = re.compile(r"(?<![\w$])importScripts\(\s*+\Z")
_MODULE_URL = re.compile(r"\s*+,\s*+import\.meta\.url")
_FETCHED = re.compile(
    r"(?:(?<![\w$])(?:fetch|(?:new\s++)?(?:Shared)?Worker|new\s++Audio|new\s++Request)\("
    r"|(?:serviceWorker|sw)\.register\(|\$(?:http)?\.(?:get|getJSON|getScript|ajax)\("
    r"|\baxios(?:\.get)?\(|\.open\(\s*+[\"']GET[\"']\s*+,|\.(?:src|srcset|poster)\s*+=(?!=)"
    r"|[\"']src[\"']\s*+,|(?<![\w$])[\"']?(?:src|image|poster|thumbnail|icon|file|sources?|backgroundImage)[\"']?\s*+:)\s*+\Z"
)
_FOLLOWED = re.compile(
    r"(?:(?<![\w$])location(?:\.href)?\s*+=(?!=)|\blocation\.(?:assign|replace)\(|\bwindow\.open\("
    r"|(?<![\w$.])open\(|\.(?:href|action)\s*+=(?!=)|[\"']href[\"']\s*+,"
    r"|(?<![\w$])[\"']?(?:\w{0,20}[uU]rl|href|link|path|to|permalink)[\"']?\s*+:)\s*+\Z"
)
_NO_LINK = re.compile(
    r"(?:[=!]==?|\+|\b(?:require\w*|define|Error|warn|error|log|Symbol|createElementNS|setAttributeNS"
    r"|(?:index|lastIndex)Of|includes|startsWith|endsWith|match|test|split|replace|RegExp|case|typeof)"
    r"\s*+\(?(?:\s*+\[)?)\s*+\Z"
)
_JOINED = re.compile(
    r"\s*+(?:(?::\s*+(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')\s*+)?(?:\)\s*+)?\+(?!\+)"
    r"|\.(?:concat|replace|split|length)\b)"
)
_KEY = re.compile(r"\s*+:")
_COMPARED = re.compile(r"\s*+[=!]==?")
_TEXT = re.compile(r"[/.<:]")  # what every string of interest has


def scan(url: str, script: str, file: str = "") -> Iterator[Found]:
    """Yield what the strings of a script link to; None for other pieces of it.

    Args:
        url: of the script, or of its page.
        script: its text.
        file: URL of a script that is a file of its own: what it imports is relative to that.
    """
    for string in strings(script):
        if string is None or not _TEXT.search(string.value):
            yield None
        elif "<" in string.value:
            if len(string.value) <= HTML_LIMIT and _HTML.search(string.value):
                yield from (found for found in read_html(url, string.value) if _is_whole(found))
        elif string.whole and 1 < len(string.value) <= URL_LIMIT:
            yield from _links(script, string, file)


def imported(name: str, file: str) -> str:
    """Return what a script imports; that is relative to its own file, not to its page."""
    return (urls.canonical(name, file) or name) if file and name else name


def _is_whole(found: object) -> bool:
    """Tell whether a link of HTML in a string is one, not what a template makes one of."""
    return isinstance(found, Link) and _REFERENCE.match(found.url) is not None


def _links(script: str, string: String, file: str) -> tuple[Link, ...]:
    """Return the link that a string without HTML is, if it is one."""
    value = string.value.strip()
    if not _REFERENCE.match(value):
        return stream(value) if _STREAM.match(value) else ()
    before = script[max(0, string.start - _BEFORE) : string.start]
    if _STREAM.match(value):
        return stream(value)
    if _IMPORT.search(before):
        whole = value.startswith(("/", "./", "../", "http")) and not _JOINED.match(
            script, string.end
        )
        return component(imported(value, file)) if whole else ()
    of_module = _NEW_URL.search(before) and _MODULE_URL.match(script, string.end)
    if of_module or _INCLUDED.search(before):
        return component(imported(value, file))
    if _is_part(script, string, before) or _NAMESPACE.match(value):
        return ()
    return _used(value, before) or _shaped(value)


def _is_part(script: str, string: String, before: str) -> bool:
    """Tell whether a string is joined to others, a key, or only compared."""
    if _NO_LINK.search(before) or _COMPARED.match(script, string.end):
        return True
    if _JOINED.match(script, string.end):
        return not _FILE.match(string.value)
    return _KEY.match(script, string.end) is not None and not before.rstrip().endswith("?")


def _used(value: str, before: str) -> tuple[Link, ...]:
    """Return the link of a string that the script uses as one."""
    fetched, followed = _FETCHED.search(before), _FOLLOWED.search(before)
    if not (fetched or followed) or not _is_reference(value):
        return ()
    ending = _ENDING.search(value)
    if fetched or (ending is not None and ending["resource"]):
        return component(value)
    return page(value)


def _is_reference(value: str) -> bool:
    """Tell whether a value is a URL, in a place where one is likely."""
    if ":" in value or "*" in value or "[" in value:
        return _ABSOLUTE.match(value) is not None
    return len(value) > 1 and (_FILE.match(value) or _PATHLIKE.match(value)) is not None


_PATHLIKE = re.compile(
    rf"\.{{0,2}}/{_NAME}++(?:/{_NAME}++)*+/?{_QUERY}\Z|{_NAME}++/(?:{_NAME}++/)*+\Z"
)


def _shaped(value: str) -> tuple[Link, ...]:
    """Return the link of a string that has the shape of a URL."""
    if _ABSOLUTE.match(value):
        ending = _ENDING.search(value.partition("//")[2].partition("/")[2])
        return component(value) if ending is not None and ending["resource"] else page(value)
    found = _FILE.match(value)
    if found is not None and found["resource"]:
        bare = "/" not in value and found["resource"].lower() in _AMBIGUOUS
        return () if bare else component(value)
    if found is not None:
        return page(value) if "/" in value or _BARE.match(value) else ()
    return page(value) if _FOLDERS.match(value) and _LETTERS.search(value) else ()


_BARE = re.compile(r"[\w\-]++\.(?:s?html?|php\d?|aspx?|jsp|cgi)(?:[?#]|\Z)", _IGNORE)
_AMBIGUOUS = frozenset([".js", ".mjs", ".json", ".txt", ".xml", ".bin", ".css", ".mov", ".do"])
_LETTERS = re.compile(r"[a-z]{2}", _IGNORE)
