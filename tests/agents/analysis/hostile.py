"""Texts that are meant to do harm."""

import random

SIZE = 1024 * 1024
_letters = random.Random(5)
HOSTILE = {
    "one character": "a" * SIZE,
    "one word": "ab " * (SIZE // 3),
    "two words": "ab cd " * (SIZE // 6),
    "no spaces": "".join(_letters.choices("abcdefghijklmnopqrstuvwxyz", k=SIZE)),
    "marks": "\u0301" * SIZE,
    "letters and marks": "a\u0301" * (SIZE // 2),
    "marks of India": "\u0915\u094d" * (SIZE // 2),
    "ideographs": "".join(map(chr, _letters.choices(range(0x4E00, 0x9FA5), k=SIZE))),
    "one ideograph": "\u7db2" * SIZE,
    "control characters": "\0\x01\x7f\x85" * (SIZE // 4),
    "lone surrogates": "\ud800a\udfff " * (SIZE // 4),
    "spaces": " " * SIZE,
    "digits": "0123456789 " * (SIZE // 11),
    "a million words": " ".join(f"{number:x}".translate({48 + d: 103 + d for d in range(10)})
                                for number in range(1_000_000)),
    "ligatures that unfold": "\ufdfa" * (SIZE // 4),
}  # fmt: skip
