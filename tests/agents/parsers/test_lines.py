"""Lines of text, however it comes."""

from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.lines import LINE_LIMIT, Lines


def lines(text: str, step: int) -> list[str]:
    """Return the lines of a text fed so many characters at a time."""
    cutter = Lines()
    found: list[str] = []
    for start in range(0, len(text), step):
        found += cutter.feed(text[start : start + step])
    return [*found, *cutter.feed("", final=True)]


@given(st.text(alphabet="ab \r\n\u2028", max_size=60), st.integers(1, 9))
def test_lines_are_those_of_the_standard_library(text: str, step: int) -> None:
    """Lines end with CR, LF or both, wherever the text is cut."""
    expected = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert lines(text, step) == (expected if expected[-1] else expected[:-1])


@given(st.integers(0, 3 * LINE_LIMIT), st.sampled_from([997, 5000, 10**9]))
def test_long_lines_are_cut_at_a_space(place: int, step: int) -> None:
    """No line passes the limit, nothing is lost, and no word is cut that could be kept whole."""
    text = "x" * place + " " + "y" * LINE_LIMIT + " z\nend"
    found = lines(text, step)
    assert found == lines(text, 10**9)
    assert "".join(found) == text.replace("\n", "")
    assert max(map(len, found)) <= LINE_LIMIT
    assert found[-1] == "end"
    assert any(line.startswith("y" * (LINE_LIMIT - 1)) for line in found)


def test_an_endless_line_is_told() -> None:
    """A line without a space is cut within a word, and that is told; memory stays bounded."""
    cutter = Lines()
    count = sum(len(line) for _ in range(100) for line in cutter.feed("x" * LINE_LIMIT))
    assert cutter.cut
    assert count >= 99 * LINE_LIMIT
