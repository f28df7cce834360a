"""The file of access rules: YAML that people and `dlweb access` both write.

It is a list of rules. Every value is a text, so that YAML's own ideas of dates and numbers have no
say; a key that is there twice is refused, for one of the two would be lost without a word.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import yaml
from yaml.nodes import MappingNode

from agents.consultation.access.rule import Rule, rule_of
from agents.consultation.errors import RulesRefused
from anet.durable import sync_path

SIZE_LIMIT = 256_000_000  # bytes
NAME = "access-rules.yaml"


class _Loader(yaml.CBaseLoader):
    """Takes texts, lists and mappings, and makes nothing else of them."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        if len(found) != len(node.value):
            line = node.start_mark.line + 1
            raise RulesRefused(f"line {line}: a key is there twice in one rule")
        return found


def read_rules(path: Path) -> list[Rule]:
    """Return the rules of a file; there are none where it does not exist. Blocks.

    Raises:
        RulesRefused: it cannot be read, or holds something else; the message says where.
    """
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise RulesRefused(f"{path}: expected at most {SIZE_LIMIT:,} bytes")
        return rules_in(path.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, RulesRefused) as error:
        raise RulesRefused(f"{path}: {error}") from None


def rules_in(text: str) -> list[Rule]:
    """Return the rules of a text.

    Raises:
        RulesRefused: it is no list of rules.
    """
    rules = []
    for number, said in enumerate(_loaded(text), 1):
        try:
            rules.append(rule_of(said))
        except RulesRefused as error:
            raise RulesRefused(f"rule {number}: {error}") from None
    return rules


def _loaded(text: str) -> list[Any]:
    try:
        found = yaml.load(text, Loader=_Loader)  # noqa: S506 - it makes texts only
    except (yaml.YAMLError, RecursionError) as error:
        raise RulesRefused(f"expected YAML, found an error: {error}") from None
    if not found:
        return []
    if not isinstance(found, list):
        raise RulesRefused("expected a list of rules, each beginning with `- urls:`")
    return found


def with_rule(text: str, said: dict[str, Any]) -> str:
    """Return the text with one more rule at its end; what people wrote stays as it is.

    Raises:
        RulesRefused: it is no rule, or the text ends with something that nothing can follow.
    """
    rule = rule_of(said)
    written = yaml.safe_dump([said], allow_unicode=True, sort_keys=False, width=96)
    before = rules_in(text)
    longer = (text if not text or text.endswith("\n") else text + "\n") + written
    try:
        if text.strip() in ("[]", "---"):
            longer = written
        if rules_in(longer) == [*before, rule]:
            return longer
    except RulesRefused:
        pass
    raise RulesRefused("the file has a form of its own; write the rule into it by hand")


def without_rule(text: str, name: str) -> str:
    """Return the text without the rules of a name.

    Raises:
        RulesRefused: there is none, or it cannot be taken out by itself.
    """
    before = rules_in(text)
    kept = [rule for rule in before if rule.name != name]
    if len(kept) == len(before):
        raise RulesRefused(f"no rule is called {name}; `dlweb access list` shows them")
    document = yaml.compose(text, Loader=yaml.CSafeLoader)
    nodes = document.value if document is not None else []
    lines = text.splitlines(keepends=True)
    for rule, node in reversed(list(zip(before, nodes, strict=True))):
        if rule.name == name:
            end = node.end_mark.line + (1 if node.end_mark.column else 0)
            begin, end = node.start_mark.line, max(end, node.start_mark.line + 1)
            lines[begin:end] = [line for line in lines[begin:end] if _is_comment(line)]
    shorter = "".join(lines)
    if rules_in(shorter) != kept:
        raise RulesRefused("the file has a form of its own; take the rule out of it by hand")
    return shorter


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#") or not line.strip()


@contextmanager
def edited(path: Path) -> Iterator[list[str]]:
    """Let one process change the file: yields its text in a list, and writes what is left there.

    Either the former text is in the file or the new one, whenever the machine stops. Blocks.

    Raises:
        OSError: it cannot be read or written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        held = [path.read_text("utf-8") if path.exists() else ""]
        before = held[0]
        yield held
        if held[0] != before:
            _replace(path, held[0])


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)
    draft.replace(path)
    sync_path(path.parent)


def told(path: Path, what: dict[str, Any]) -> None:
    """Add a line to the story of the rules, which lies beside them, and make it durable. Blocks.

    Raises:
        OSError: it cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    descriptor = os.open(story_of(path), flags, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        file.write(msgspec.json.encode(what) + b"\n")
        file.flush()
        os.fsync(descriptor)


def story_of(path: Path) -> Path:
    """Return where the story of a file of rules lies: JSON lines, oldest first."""
    return path.with_suffix(".story")
