"""Control words of RTF that matter to whoever looks for links and text (RTF 1.9.1)."""

import codecs

HIDDEN = frozenset([
    "colortbl", "stylesheet", "info", "pict", "filetbl", "listtable", "listoverridetable",
    "rsidtbl", "revtbl", "xmlnstbl", "objdata", "hl", "sn", "sv", "xe", "tc", "bkmkstart",
    "bkmkend", "themedata", "datastore", "private", "nonshppict",
])  # fmt: skip
"""Words whose group holds data that no one reads."""

TRANSPARENT = frozenset(["shpinst", "shppict", "do", "dptxbxtext", "field", "fldrslt", "u", "ud"])
"""Words that a star may precede though their group holds text."""

CHARACTERS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "cell": "\t", "tab": "\t",
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "emspace": "\u2003", "enspace": "\u2002",
}  # fmt: skip
SYMBOLS = {b"\\": "\\", b"{": "{", b"}": "}", b"~": "\xa0", b"_": "\u2011"}

CODECS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
"""Codecs by the numbers of Windows' charsets, for fonts."""

DEFAULTS = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
"""Codecs of a document by the word that names them."""


def codec(page: int) -> str:
    """Return the codec of one of Windows' code pages; the commonest for one that is unknown."""
    name = "utf-8" if page == 65001 else f"cp{page}"
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
