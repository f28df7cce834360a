"""Compile the judge texts that languages are told by (*INA §1.4.5*).

    pip install wordfreq
    python etc/judges.py

The vocabularies are the most frequent words of wordfreq's lists, which are counted in films'
subtitles, encyclopedias, news, books and the web. They are written to `agents/analysis/
judges/`: `languages.judges`, and `common.judges`, which only knows the most common words, those
that make no keyword. Only their operators run this; dlweb itself does not need wordfreq.
"""

import gzip
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgpack
import wordfreq

from agents.analysis.keywords import COMMON
from agents.analysis.language import JUDGES, Judges, vocabulary

WORDS = 12_000  # of each judge: one false answer in seventy, of a filter of 16 KiB
COMMON_WORDS = 200
LANGUAGES = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fil", "fr", "he",
    "hi", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "mk", "ms", "nb", "nl", "pl", "pt", "ro",
    "ru", "sh", "sk", "sl", "sv", "ta", "tr", "uk", "ur", "vi", "zh",
]  # fmt: skip
# Serbo-Croatian is counted in Latin letters; what stands for a pair of them comes first.
_CYRILLIC = {
    "lj": "љ", "nj": "њ", "dž": "џ", "a": "а", "b": "б", "v": "в", "g": "г", "d": "д", "đ": "ђ",
    "e": "е", "ž": "ж", "z": "з", "i": "и", "j": "ј", "k": "к", "l": "л", "m": "м", "n": "н",
    "o": "о", "p": "п", "r": "р", "s": "с", "t": "т", "ć": "ћ", "u": "у", "f": "ф", "h": "х",
    "c": "ц", "č": "ч", "š": "ш",
}  # fmt: skip


def main() -> None:
    """Write both files of judges."""
    counted = {name: count(name) for name in LANGUAGES}
    counted["sr"] = Counter({cyrillic(word): n for word, n in counted["sh"].items()})
    counted["zh"] += traditional(counted["zh"])
    for path, size in ((JUDGES, WORDS), (COMMON, COMMON_WORDS)):
        best = {name: most_common(counted[name], size) for name in sorted(counted)}
        Judges.of(best).save(path)
        print(f"{path}: {len(best)} judges, {path.stat().st_size} bytes")


def count(language: str) -> Counter[str]:
    """Return how frequent the words of a language are."""
    frequent: Counter[str] = Counter()
    for entry, frequency in wordfreq.get_frequency_dict(language, "best").items():
        for word in vocabulary(entry):
            frequent[word] += frequency
    return frequent


def most_common(counted: Counter[str], size: int) -> Iterable[str]:
    """Return the most frequent words; any order of equals is the same at each run."""
    return sorted(counted, key=lambda word: (-counted[word], word))[:size]


def cyrillic(word: str) -> str:
    """Write a word of Serbo-Croatian in Cyrillic letters."""
    for latin, letter in _CYRILLIC.items():
        word = word.replace(latin, letter)
    return word


def traditional(simplified: Counter[str]) -> Counter[str]:
    """Return pairs of Chinese characters in their traditional forms, of the pairs that have one."""
    path = Path(wordfreq.__file__).parent / "data" / "_chinese_mapping.msgpack.gz"
    mapping = msgpack.loads(gzip.decompress(path.read_bytes()), strict_map_key=False)
    forms = {ord(new): chr(old) for old, new in mapping.items() if len(new) == 1}
    changed = ((word.translate(forms), n) for word, n in simplified.items())
    return Counter({word: n for word, n in changed if word not in simplified})


if __name__ == "__main__":
    main()
