"""Internet shortcuts."""

SHORTCUT = """\
[InternetShortcut]\r
URL=https://example.org/a?b=c\r
IconFile=https://example.org/favicon.ico\r
IconIndex=0\r
"""


def test_a_shortcut(read) -> None:
    """It leads to its page, and shows its icon."""
    found = read("shortcut", SHORTCUT)
    assert found.pages == ["https://example.org/a?b=c"]
    assert found.components == ["https://example.org/favicon.ico"]


def test_an_icon_of_the_reader(read) -> None:
    """An icon on the reader's own disk is no link."""
    assert not read("shortcut", "IconFile=C:\\Windows\\url.dll").links
