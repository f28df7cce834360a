"""`python -m agents.archive.reference`: writes what can be written from the code itself.

etc/quickstart.yaml, docs/reference/configuration.md and docs/reference/commands.md say the same
as the classes and parsers they describe; a test compares them, `make reference` renews them.
"""

import argparse
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs
import yaml

from agents.archive.command.arguments import parser
from agents.archive.sections import all_sections
from agents.configuration import AgentOptions, TopConfig
from hip.command import parser as hip_parser

_WIDTH = 96
_ENTRY = re.compile(r"    (\w+): (.*)")


def quickstart() -> str:
    """Return the annotated configuration file: every key with its default."""
    lines = [
        *_QUICKSTART.splitlines(),
        "",
        *_keys(TopConfig, ""),
    ]
    for name, cls in all_sections().items():
        lines += ["", f"# {_summary(cls)}", f"{name}:", *_keys(cls, "  ")]
    return "\n".join(lines) + "\n"


def _keys(cls: Any, indent: str) -> Iterator[str]:
    words = attribute_words(cls)
    for field in attrs.fields(cls):
        text = words.get(field.name, "")
        for line in textwrap.wrap(text, _WIDTH - len(indent) - 2):
            yield f"{indent}# {line}"
        default = getattr(cls(), field.name)
        if attrs.has(type(default)):
            yield f"{indent}{field.name}:"
            yield from _keys(type(default), indent + "  ")
        else:
            yield f"{indent}{field.name}: {_flow(default)}"


def _flow(value: Any) -> str:
    """Return a default as YAML in one line."""
    if isinstance(value, Path):
        value = str(value)
    elif isinstance(value, tuple):
        value = list(value)
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("...").rstrip()


def configuration_page() -> str:
    """Return docs/reference/configuration.md."""
    lines = [_CONFIGURATION, *_table(TopConfig)]
    for name, cls in all_sections().items():
        lines += ["", f"## `{name}`", "", _summary(cls), "", *_table(cls)]
    return "\n".join(lines) + "\n"


def _table(cls: Any) -> Iterator[str]:
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    yield from _rows(cls, "")


def _rows(cls: Any, section: str) -> Iterator[str]:
    words, hints = attribute_words(cls), get_type_hints(cls)
    for field in attrs.fields(cls):
        kind = hints[field.name]
        if attrs.has(kind):
            yield from _rows(kind, f"{section}{field.name}.")
            continue
        shown = (kind.__name__ if isinstance(kind, type) else str(kind)).replace("|", "or")
        if get_origin(kind) is Literal:
            shown = " or ".join(f"`{choice}`" for choice in get_args(kind))
        shown = shown.replace("pathlib.", "").replace("Path", "path").replace("None", "null")
        default = _flow(getattr(cls(), field.name)).replace("|", "\\|")
        meaning = words.get(field.name, "").replace("|", "\\|")
        yield f"| `{section}{field.name}` | {shown} | `{default}` | {meaning} |"


def commands_page() -> str:
    """Return docs/reference/commands.md."""
    lines = [_COMMANDS]
    for command in (parser(), hip_parser()):
        lines += [f"## `{command.prog}`", "", command.description or "", ""]
        lines += _options(command)
        for verb, words in _verbs(command):
            lines += [f"### `{verb.prog}`", "", words, "", *_options(verb)]
    lines += ["## `twistd`", "", _PLUGINS, *_plugins(), "", "They all take these options:", ""]
    lines += ["| option | meaning |", "|---|---|"]
    lines += [f"| `--{name}` | {words} |" for name, _, _, words in AgentOptions.optParameters]
    return "\n".join(lines) + "\n"


def _verbs(command: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield each verb's parser, and what it does; a verb's own verbs follow it."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action._choices_actions:
                words = each.help or each.dest
                yield action.choices[each.dest], f"{words[0].upper()}{words[1:]}."
                yield from _verbs(action.choices[each.dest])


def _options(command: argparse.ArgumentParser) -> list[str]:
    rows = []
    for action in command._actions:
        if isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
            continue
        metavar = str(action.metavar or action.dest)
        if not action.option_strings:
            name = metavar
        else:
            takes = "" if action.nargs == 0 else f" {metavar}"
            name = f"{action.option_strings[-1]}{takes}"
        words = (action.help or "") % {"prog": command.prog, "default": action.default}
        rows.append(f"| `{name}` | {words.replace('|', chr(92) + '|')} |")
    return ["| argument | meaning |", "|---|---|", *rows, ""] if rows else []


def _plugins() -> Iterator[str]:
    from twisted.application.service import IServiceMaker
    from twisted.plugin import getPlugins

    yield "| plugin | what it runs |"
    yield "|---|---|"
    makers: list[Any] = list(getPlugins(IServiceMaker))
    ours = [maker for maker in makers if maker.module.startswith("agents.")]
    for plugin in sorted(ours, key=lambda maker: str(maker.tapname)):
        yield f"| `twistd {plugin.tapname}` | {plugin.description} |"


def _summary(cls: Any) -> str:
    return (inspect.getdoc(cls) or "").partition("\n")[0]


def attribute_words(cls: Any) -> dict[str, str]:
    """Return what a class's docstring says of each attribute."""
    _, _, listed = (inspect.getdoc(cls) or "").partition("Attributes:\n")
    words: dict[str, str] = {}
    name = ""
    for line in listed.splitlines():
        if entry := _ENTRY.fullmatch(line):
            name = entry[1]
            words[name] = entry[2]
        elif name and line.startswith("     "):
            words[name] += " " + line.strip()
        elif line.strip():
            break
    return words


_QUICKSTART = """\
# The configuration of a whole archive. Every value here is the default, so this file says the
# same as an empty one: keep the lines that you change. A key that nobody knows, a value of a
# wrong type or an impossible one is refused with its line; `dlweb check` looks at the file.
# Renewed by `make reference` from the code that reads it.
"""

_CONFIGURATION = """# Configuration

One YAML file configures a whole archive; every key has a default, so an empty file is a valid one,
and no file at all says the same. `etc/quickstart.yaml` is such a file, annotated. Every agent takes
it with `--config`; `dlweb check --config FILE` tells whether all of them would.

A file is refused, with its line, for a key that nobody knows, a key that is there twice, a value of
a wrong type or an impossible one, an alias, or a size over 256 KiB:

    etc/mine.yaml:12: scheduler.deley: unknown key; did you mean delay?

Addresses are "host:port", with brackets around IPv6 ("[::1]:7100"); where HIP is spoken,
"unix:/path/to/socket" too. Where one is null, the agent listens on loopback at the base port plus
its offset: scheduler 0 (pages 1), storage master 2 (3), index node 4 (5), proxy 6, consultation
pages 7, connectivity 8, nursery 9, storage node N 10 + N, site crawler N 20 + N, feed
aggregator 97, supervisor 98, demonstration website 99.

This page is renewed by `make reference` from the code that reads the file.

## At the top
"""

_COMMANDS = """# Commands

`dlweb` is for people, `hip` for looking into running agents, `twistd` for operators who run each
agent by itself. A command ends with status 0 when all went well, 1 with a line that says why when
not, 2 for a command line it does not understand, 78 for a configuration that is refused, and 130
after Ctrl-C.

This page is renewed by `make reference` from the commands themselves.
"""

_PLUGINS = "Each agent is a plugin of `twistd`, the daemon of Twisted.\n"


def main() -> None:
    """Write the files into the current folder, the root of the project."""
    Path("etc/quickstart.yaml").write_text(quickstart(), "utf-8")
    Path("docs/reference/configuration.md").write_text(configuration_page(), "utf-8")
    Path("docs/reference/commands.md").write_text(commands_page(), "utf-8")


if __name__ == "__main__":
    main()
