"""Where people's wishes that come over HTTP are carried out: by the methods that HIP has.

So pages and programs over HTTP can do what an operator can over HIP, by the same names, with the
same checks and the same refusals.
"""

from collections.abc import Mapping
from inspect import isawaitable
from typing import Any

import msgspec
from attrs import frozen

from hip import CallRefused
from hip.methods import Method

OPERATOR = "operator"
PATIENCE = 30.0  # seconds


@frozen
class Visitor:
    """Who calls a method over HTTP; whoever comes this far may do what an operator may.

    Attributes:
        name: for stories, where nothing else names the person.
        kind: of agent.
        roles: None, as on a link where no certificates are asked for.
        is_master: never.
    """

    name: str = OPERATOR
    kind: str = "console"
    roles: None = None
    is_master: bool = False


class Desk:
    """The methods of an operator.

    Args:
        methods: all that the agent answers, by name.
    """

    def __init__(self, methods: Mapping[str, Method]) -> None:
        self._methods = methods

    def methods(self) -> list[Method]:
        """Return what may be called, by name."""
        return [self._methods[name] for name in sorted(self._methods) if self.has(name)]

    def has(self, method: str) -> bool:
        """Tell whether there is such a method; those of HIP itself are not for HTTP."""
        return (
            method in self._methods
            and OPERATOR in self._methods[method].roles
            and not method.startswith("hip.")
        )

    async def call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        """Call a method, and return its answer as plain values.

        Raises:
            CallRefused: there is no such method, the arguments do not fit, or it refuses.
        """
        if not self.has(method):
            words = f"there is no method {method[:80]!r}; GET /api lists them"
            raise CallRefused("unknown-method", words)
        answer = self._methods[method].call(Visitor(), dict(arguments), PATIENCE)
        return msgspec.to_builtins(await answer if isawaitable(answer) else answer)
