"""Internet shortcuts: the files by which Windows keeps a link, and which sites offer for it."""

from agents.parsers.lines import LineParser
from agents.parsers.link import Link, component, page
from agents.parsers.parser import Format


class ShortcutParser(LineParser):
    """Parses a shortcut: `URL=…`, and `IconFile=…` where the icon is not the reader's own file."""

    format = Format(
        "shortcut",
        ("application/internet-shortcut", "application/x-mswinurl", "application/x-url"),
        (".url",),
        (b"[InternetShortcut]",),
    )

    def line(self, line: str) -> tuple[Link, ...]:
        """Return the link of a line."""
        key, _, value = line.partition("=")
        match key.strip().lower():
            case "url" | "baseurl":
                return page(value.strip())
            case "iconfile" if "://" in value:
                return component(value.strip())
        return ()
