"""Whether a script may link to anything: a quick test, so that most need no engine."""

import re

# Each way that `static` or `evaluate` know to make a link takes one of these.
_LIKELY = re.compile(
    r"""
    document|location|\.open\b|\bopen\(|\bfetch\b|XMLHttpRequest|importScripts|Worker
  | \bImage\b|\bAudio\b|\bimport\b|"imports"|"scopes"|\bregister\(
  | (?i:srcset|\bsrc\b|href|innerHTML|outerHTML|insertAdjacent|createElement)
  | setAttribute|\bajax\b|getScript|getJSON|\.write
  | \.(?:attr|prop|get|load|html|append|prepend|before|after|each)\(
  | \beval\b|\bFunction\b|fromCharCode|unescape|atob|<[a-zA-Z!]|\\[xu/]
  | ["'`]\s*\.{0,2}/|//[\w\-]+[.:]|[\w\-]/["'`\w]|(?:rtsp|rtmp|mms)
  | \.(?:png|jpe?g|gif|webp|avif|svgz?|ico|bmp|cur|css|woff2?|ttf|otf|eot|swf|wasm|web\w|mp\w+
       |m4\w|og\w|wav|flac|mov|avi|wmv|flv|m3u8|vtt|srt|m?js\w*|geojson|xml|[ct]sv|txt|gl\w+|bin
       |\w?html?|php|phtml|asp|jsp|cgi|pl|cfm|do|action|pdf|docx?|xlsx?|pptx?|od[ts]|rtf|zip|rss
       |atom)\b
    """,
    re.VERBOSE | re.ASCII,
)


def may_link(script: str) -> bool:
    """Tell whether a script may link to anything; a script that does not, never does."""
    return _LIKELY.search(script) is not None
