"""How well and how quickly texts are analysed (docs/explanation/analysis.md).

    python benchmarks/analysis.py [--pages /usr/share/man] [--peers]

Accuracy of language recognition on public sets that no judge was made of: the Universal Declaration
of Human Rights, and with `--pages` manual pages in many languages (Debian's manpages-fr, -de, …).
`--peers` compares with langdetect and py3langid, which have to be installed. Costs are of processor
time, for 20 KB of text; the last line is JSON.
"""

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from agents.analysis.analyse import analyse
from agents.analysis.keywords import COMMON, keywords
from agents.analysis.language import JUDGES, Judges
from agents.analysis.signatures import signatures
from agents.analysis.terms import Terms
from agents.analysis.text import words

DECLARATION = Path(__file__).parents[1] / "tests/agents/analysis/declaration"
SIZES = (0, 200, 50)  # characters of the pieces; 0 for whole texts
PIECES = 20  # of each text
PAGES = 10  # manual pages of each language
TEXT = 20_000  # bytes of text that costs are told for
SECONDS = 1.0  # that each part is timed
# What peers call a language that has another name here.
NAMES = {"no": "nb", "nn": "nb", "tl": "fil", "hr": "sh", "bs": "sh", "zh-cn": "zh", "zh-tw": "zh"}
_MACRO = re.compile(r"^[.'].*$|\\f.|\\\(..|\\[a-z&-]|\\", re.MULTILINE)

Texts: TypeAlias = list[tuple[str, str]]


class Tool(NamedTuple):
    """Something that tells languages."""

    name: str
    tell: Callable[[str], str]
    languages: frozenset[str]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=Path, help="folder of manual pages by language")
    parser.add_argument("--peers", action="store_true", help="compare with other tools")
    options = parser.parse_args()
    tools = [ours(), *(peers() if options.peers else ())]
    outcome: dict[str, object] = {"declaration": compare(tools, list(declaration()))}
    if options.pages:
        outcome["pages"] = compare(tools, list(manual_pages(options.pages)))
    outcome["unknown"] = unknown(tools[0])
    outcome["milliseconds"] = costs(tools)
    print(json.dumps(outcome))


def ours() -> Tool:
    """Return the judges of dlweb."""
    judges = Judges.load(JUDGES)

    def tell(text: str) -> str:
        found = judges.languages(text)
        return found[0].name if found else "und"

    return Tool("judges", tell, frozenset(judges.names))


def peers() -> list[Tool]:
    """Return the tools to compare with."""
    import langdetect
    import py3langid

    langdetect.DetectorFactory.seed = 0

    def detect(text: str) -> str:
        try:
            return langdetect.detect(text)
        except langdetect.LangDetectException:
            return "und"

    for tool in (langdetect.detect, py3langid.classify):
        tool("Load what you know of languages.")
    known = langdetect.detector_factory._factory.langlist
    return [
        Tool("langdetect", detect, frozenset(NAMES.get(name, name) for name in known)),
        Tool(
            "py3langid",
            lambda text: py3langid.classify(text)[0],
            frozenset(NAMES.get(name, name) for name in py3langid.langid.IDENTIFIER.labels),
        ),
    ]


def declaration(folder: Path = DECLARATION) -> Iterator[tuple[str, str]]:
    """Yield the language and the text of each declaration."""
    for path in sorted(folder.glob("*.txt")):
        if path.stem != "README":
            yield path.stem.partition("-")[0], path.read_text("utf-8")


def manual_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the language and the text of manual pages, without their commands."""
    for place in sorted(folder.glob("*/man*/")):
        language = place.parent.name.partition("_")[0]
        for path in sorted(place.glob("*.gz"))[:PAGES]:
            text = _MACRO.sub(" ", gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
            if 1000 < len(text) < 100_000:
                yield language, text


def compare(tools: list[Tool], texts: Texts) -> dict[str, dict[str, list[float]]]:
    """Print a table of the accuracy of each tool by language, and return all of it in percent."""
    accuracy = {tool.name: by_language(tool, texts) for tool in tools}
    languages = [name for name in sorted({name for name, _ in texts}) if name in accuracy["judges"]]
    columns = (f"{tool.name} {size or 'whole'}" for tool in tools for size in SIZES)
    print("| language | " + " | ".join(columns) + " |")
    for language in (*languages, "all"):
        cells = (
            f"{value:.1f}" if value is not None else "–"
            for tool in tools
            for value in accuracy[tool.name].get(language, [None] * len(SIZES))
        )
        print(f"| {language} | " + " | ".join(cells) + " |")
    return {name: {"all": found["all"]} for name, found in accuracy.items()}


def by_language(tool: Tool, texts: Texts) -> dict[str, list[float]]:
    """Return the percentage told rightly for each size; `all` is the mean of the languages."""
    right: dict[str, list[list[bool]]] = {}
    for language, text in texts:
        if language in tool.languages:
            outcomes = right.setdefault(language, [[] for _ in SIZES])
            for size, outcome in zip(SIZES, outcomes, strict=True):
                found = (tool.tell(piece) for piece in pieces(text, size))
                outcome += [NAMES.get(name, name) == language for name in found]
    table = {
        language: [100 * sum(outcome) / len(outcome) for outcome in outcomes]
        for language, outcomes in sorted(right.items())
    }
    columns = zip(*table.values(), strict=True)
    return {**table, "all": [round(sum(column) / len(table), 2) for column in columns]}


def pieces(text: str, size: int) -> list[str]:
    """Return pieces of a text, always the same."""
    chosen = random.Random(1)
    starts = [chosen.randrange(len(text) - size) for _ in range(PIECES if size else 1)]
    return [text[start : start + size] for start in starts] if size else [text]


def unknown(tool: Tool) -> list[float]:
    """Return the percentage of texts of unknown languages that are not taken for a known one."""
    texts = list(declaration(DECLARATION / "other"))
    percentages = []
    for size in SIZES:
        found = [tool.tell(piece) for _, text in texts for piece in pieces(text, size)]
        percentages.append(round(100 * found.count("und") / len(found), 1))
    print(f"languages without a judge, told to be unknown: {percentages} %")
    return percentages


def costs(tools: list[Tool]) -> dict[str, float]:
    """Print and return what each part costs for a text of 20 KB, in milliseconds."""
    texts = [text for name, text in declaration() if name in ("fr", "en", "ru", "ja")]
    size = sum(len(text.encode()) for text in texts) / len(texts)
    common = Judges.load(COMMON)
    read = {text: words(text) for text in texts}
    terms = Terms([f"term {number}" for number in range(1000)] + sorted(set(read[texts[0]])))
    parts: dict[str, Callable[[str], object]] = {
        "words": words,
        "signatures": lambda text: signatures(read[text]),
        "keywords": lambda text: keywords(read[text], common.who_know),
        "language": tools[0].tell,
        "special keywords": terms.occurrences,
        "whole": lambda text: analyse(text, terms),
        **{tool.name: tool.tell for tool in tools[1:]},
    }
    taken = {
        name: round(milliseconds(part, texts) * TEXT / size, 3) for name, part in parts.items()
    }
    for name, cost in taken.items():
        print(f"{name:17} {cost:7.2f} ms {TEXT / cost / 1000:7.1f} MB/s")
    return taken


def milliseconds(part: Callable[[str], object], texts: list[str]) -> float:
    """Return the processor time of a text: the least of some rounds, once all is warm."""
    best, start = float("inf"), time.process_time()
    while time.process_time() - start < SECONDS:
        begin = time.process_time()
        for text in texts:
            part(text)
        best = min(best, (time.process_time() - begin) / len(texts) * 1000)
    return best


if __name__ == "__main__":
    main()
