"""The public set of texts: the Universal Declaration of Human Rights in many languages."""

from pathlib import Path

FOLDER = Path(__file__).with_name("declaration")
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt"))}
del TEXTS["README"]
UNKNOWN = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("other/*.txt"))}


def pieces(text: str, size: int, count: int) -> list[str]:
    """Return pieces of a size that are spread evenly over a text."""
    step = (len(text) - size) // count
    return [text[place * step : place * step + size] for place in range(count)]
