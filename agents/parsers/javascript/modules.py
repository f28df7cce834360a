r"""ES modules: import maps, and modules written so that an engine runs them as scripts.

An engine that may load nothing can't run `import … from './a.js'`. Each such statement becomes a
call of `__import('./a.js')`, which the shim answers by noting the link; the names imported are
then unknown to the script, and the shim answers for those as for any name it does not know.
"""

import json
import re
from collections.abc import Iterator

from attrs import field, frozen

from agents.parsers.javascript.tokens import STRING, TOKEN

MAP_LIMIT = 10_000  # addresses of one import map

_MODULE = re.compile(r"(?<![\w.$])(?:import|export)(?![\w$])")
_STATEMENT = re.compile(
    TOKEN
    + rf"""
  |(?<![\w.$])(?:
     (?P<imported>(?:import|export)(?:[\s\w$*,]|\{{[^{{}}"']*+\}}){{0,400}}?\bfrom\s*+(?P<source>{STRING})\s*+;?
       |import\s*+(?P<effect>{STRING})\s*+;?)
    |(?P<call>import)(?=\s*+\()
    |(?P<meta>import\s*+\.\s*+meta)(?![\w$])
    |(?P<default>export\s++default(?![\w$]))
    |(?P<list>export\s*+\{{[^{{}}"']*+\}}\s*+;?)
    |(?P<declared>export\s++(?=(?:const|let|var|function|class|async)\b))
  )""",
    re.DOTALL | re.VERBOSE,
)
_INSTEAD = {"call": "__import", "meta": "__meta", "default": "__default=", "list": ";"}
# In the loader that webpack puts before its modules, `x.u` gives the file name of a chunk.
_CHUNK_NAMES = re.compile(
    r"(?<![\w$.])([\w$]{1,40}+)\.(u|miniCssF)\s*+=(?=\s*+(?:\(?[\w$]*+\)?\s*+=>|function))"
)
# The arguments of a function, as scripts of the last century ask for them; engines forgot it.
_ARGUMENTS = re.compile(r"(?<![\w$.])[\w$]{1,60}+\.arguments(?![\w$])")
# What a script declares for the scripts after it; the engine runs each in a scope of its own.
_DECLARED = re.compile(
    r"(?:(?<![^\n])|\A\s*+)(?:(?:const|let)(?=\s++[\w$\[{])|class\s++(?P<name>[\w$]++))"
)
_PLAIN = re.compile(r"(?:\.{0,2}/|[a-z][a-z0-9+.\-]*+:)", re.IGNORECASE)


def as_script(text: str) -> str:
    """Return a module as a script that the shim can serve; a script without imports as it is."""
    if _MODULE.search(text) is not None:
        text = _STATEMENT.sub(_instead, text)
    text = _DECLARED.sub(lambda found: f"var {found[1]}=class" if found[1] else "var", text)
    return _ARGUMENTS.sub("arguments", _CHUNK_NAMES.sub(r"__chunks(\1).\2=", text))


def _instead(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    if found["imported"]:
        return f"__import({found['source'] or found['effect']});"
    if kind == "declared":
        return ""
    return _INSTEAD.get(kind, found[0])


@frozen
class ImportMap:
    """Which addresses the names of modules stand for (HTML, *import maps*).

    Attributes:
        addresses: by name; a name that ends in a slash stands for all that begin with it.
    """

    addresses: dict[str, str] = field(factory=dict)

    @classmethod
    def read(cls, text: str) -> "ImportMap | None":
        """Return the import map that a text is, or None when it is none, but a script."""
        if not text.lstrip().startswith("{"):
            return None
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if "imports" not in read and "scopes" not in read:
            return None
        return cls(dict(_addresses(read)))

    def links(self) -> Iterator[str]:
        """Yield the addresses of modules."""
        yield from (address for address in self.addresses.values() if not address.endswith("/"))

    def resolve(self, name: str) -> str:
        """Return the address of a module as it is named; empty when nothing tells."""
        if name in self.addresses:
            return self.addresses[name]
        folder = name
        while folder := folder.rpartition("/")[0]:
            if (address := self.addresses.get(folder + "/")) is not None:
                return address + name[len(folder) + 1 :]
        return name if _PLAIN.match(name) else ""


def _addresses(read: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Yield names and addresses; what holds in a part of the site only, before the rest."""
    scopes = read.get("scopes")
    groups = [*(scopes.values() if isinstance(scopes, dict) else ()), read.get("imports")]
    left = MAP_LIMIT
    for group in groups:
        for name, address in group.items() if isinstance(group, dict) else ():
            left -= 1
            if left >= 0 and isinstance(address, str):
                yield name, address
