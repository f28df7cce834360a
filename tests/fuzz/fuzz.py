"""Fuzz one decoder under Atheris: `python tests/fuzz/fuzz.py NAME [CORPUS] [libFuzzer's options]`.

See docs/how-to/fuzz.md.
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import atheris

with atheris.instrument_imports(include=["hip", "anet", "agents"]):
    from harnesses import HARNESSES, SEEDS


def main() -> None:
    """Run the harness that the command line names until it fails, or is stopped."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in HARNESSES:
        sys.exit(f"name one of: {', '.join(sorted(HARNESSES))}")
    seeds = Path(mkdtemp(prefix="fuzz-"))
    for number, seed in enumerate(SEEDS[name]):
        (seeds / f"seed-{number}").write_bytes(seed)
    options = sys.argv[2:]
    atheris.Setup([sys.argv[0], *options, str(seeds)], HARNESSES[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
