"""Faults as texts that programs read; each format escapes in its own way."""

import json
import re
from html import escape

from agents.consultation.faults.fault import Fault
from agents.consultation.faults.words import URL_LENGTH_LIMIT, sentence, shown_url


def xml_text(text: str) -> str:
    """Return a text as XML writes it, without the characters that XML cannot hold."""
    held = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
    return escape(held)


def text(fault: Fault) -> bytes:
    """Return a line of plain text."""
    return (sentence(fault) + "\n").encode()


def css(fault: Fault) -> bytes:
    """Return one rule that shows the sentence above the page."""
    string = re.sub(r"[^ -~]|[\"\\<>]", lambda found: f"\\{ord(found[0]):x} ", sentence(fault))
    return (
        f'html::before {{ content: "{string}"; display: block; padding: .5em; '
        "font: 14px system-ui, sans-serif; color: #b3261e; background: #fafafa; "
        "border: 1px dashed; }\n"
    ).encode()


def javascript(fault: Fault) -> bytes:
    """Return a script that warns in the console, if there is one."""
    string = json.dumps(sentence(fault)).replace("<", "\\u003c")
    return f'if (typeof console !== "undefined") console.warn({string});\n'.encode()


def json_object(fault: Fault) -> bytes:
    """Return an object of the fault's fields."""
    values = {
        "fault": fault.code,
        "status": fault.status,
        "message": fault.message,
        "url": fault.url[:URL_LENGTH_LIMIT],
        "date": fault.date,
    }
    return json.dumps(values).encode() + b"\n"


def xml(fault: Fault) -> bytes:
    """Return an element that says what is missing."""
    code, told = xml_text(fault.code), xml_text(sentence(fault))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<fault status="{fault.status}" code="{code}">{told}</fault>\n'
    ).encode()


def rss(fault: Fault) -> bytes:
    """Return a news feed (RSS 2.0) of one entry that says what is missing."""
    title, told, url = xml_text(fault.title), xml_text(sentence(fault)), xml_text(shown_url(fault))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>dlweb: {title}</title><link>http://dlweb/</link><description>{told}"
        f"</description><item><title>{title}</title><description>{told}</description>"
        f'<guid isPermaLink="false">{url}</guid></item></channel></rss>\n'
    ).encode()


def vtt(fault: Fault) -> bytes:
    """Return a subtitle track (WebVTT) that shows the sentence for an hour."""
    told = escape(sentence(fault).replace("\0", "\ufffd"), quote=False)
    return f"WEBVTT\n\n00:00:00.000 --> 01:00:00.000\n{told}\n".encode()


def m3u8(fault: Fault) -> bytes:
    """Return a playlist (HLS) of nothing, with the sentence as a comment."""
    told = sentence(fault)
    return f"#EXTM3U\n# {told}\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n".encode()
