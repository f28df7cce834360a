"""The well part: ordinary pages with what they need, linked to each other and from attacks."""

import struct
import zlib

PAGES = 60
BRANCHES = 3  # links down from each page


def well_part(attacks: list[str]) -> dict[str, tuple[str, bytes]]:
    """Return type and body by target.

    Args:
        attacks: names of those that lead to a page of their own.
    """
    site = {f"/well/{number}.html": _page(number) for number in range(PAGES)}
    site |= {f"/well/images/{number}.png": _image(number) for number in range(PAGES)}
    site |= {f"/well/from/{name}.html": _page_from(name) for name in attacks}
    site |= {
        f"/well/from/{name}.txt": ("text/plain", f"from {name}\n".encode()) for name in attacks
    }
    site["/well/style.css"] = ("text/css", b"body { background: url(images/0.png) }")
    site["/well/script.js"] = ("text/javascript", b'new Image().src = "images/1.png";')
    site["/well/latin.html"] = ("text/html; charset=iso-8859-1", "<p>Père Noël".encode("latin-1"))
    site["/well/data.json"] = ("application/json", b'{"url": "/well/2.html"}')
    return site


def _page(number: int) -> tuple[str, bytes]:
    children = range(number * BRANCHES + 1, min(PAGES, number * BRANCHES + BRANCHES + 1))
    links = "".join(f'<p><a href="{child}.html">Chapter {child}</a>' for child in children)
    return "text/html; charset=utf-8", (
        f"<!doctype html><title>Chapter {number}</title><link rel=stylesheet href=style.css>"
        f'<script src=script.js></script><h1>Chapter {number}</h1><img src="images/{number}.png">'
        f"{links}<p>{'All human beings are born free and equal. ' * number}"
        f'<a href="latin.html">Noël</a> <a href="data.json">data</a>'
    ).encode()


def _page_from(name: str) -> tuple[str, bytes]:
    return "text/html", f'<title>{name}</title><a href="{name}.txt">of {name}</a>'.encode()


def _image(number: int) -> tuple[str, bytes]:
    """Return a picture of one dot, of a colour of its own."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    dot = zlib.compress(bytes([0, number, 0, 255 - number]))
    chunks = ((b"IHDR", header), (b"IDAT", dot), (b"IEND", b""))
    return "image/png", b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
