"""Remote methods: marked, typed, checked on arrival, described to whoever asks."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, get_type_hints, overload

import msgspec
from attrs import frozen
from msgspec.structs import astuple

from hip.deadlines import Deadline
from hip.errors import BAD_ARGUMENTS, FORBIDDEN, UNKNOWN_METHOD, CallRefused

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Value = TypeVar("_Value")
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_MARK = "_hip_exposed"
CALLER = "peer"  # a parameter of this name is given the calling peer, and is never sent
DEADLINE = "deadline"  # and one of this name the time until which the caller waits
TIMEOUT = "timeout"  # of a call; so no method has a parameter of this name
MASTER = "master"  # the role of an agent's own master


@frozen
class _Exposed:
    """What `exposed` was told of a function."""

    name: str
    roles: frozenset[str]


@overload
def exposed(function: _Function, /) -> _Function: ...


@overload
def exposed(
    *, name: str | None = None, roles: Iterable[str] = ()
) -> Callable[[_Function], _Function]: ...


def exposed(function: Any = None, /, *, name: str | None = None, roles: Iterable[str] = ()) -> Any:
    """Mark a function, a closure or a method as one that peers may call by its name.

    Its parameters must be annotated; what arrives is checked against the annotations. They
    may be None, bool, int, float, str, bytes, datetime, lists, dictionaries, unions of these, and
    attrs classes of them. It may be plain, a coroutine, or return a Deferred. A parameter `peer`
    is given the calling `Peer`, and `deadline` the `Deadline` until which it waits.

    Args:
        function: when there is nothing more to say, `@exposed` alone marks it.
        name: what it is called by; its own name if not given.
        roles: which roles may call it, over links where certificates tell roles; everyone if
            none. `master` stands for the agent's own master.
    """

    if isinstance(roles, str):
        raise TypeError(f"roles={roles!r} would be a role for each letter: write a tuple")

    def mark(function: _Function) -> _Function:
        told = _Exposed(name or function.__name__, frozenset(roles))
        setattr(getattr(function, "__func__", function), _MARK, told)  # a bound method takes none
        return function

    return mark if function is None else mark(function)


def convert(value: object, kind: type[_Value]) -> _Value:
    """Return a received value as an instance of `kind`.

    Raises:
        TypeError: the value does not have that form; the message says where.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise TypeError(str(error)) from None


@frozen
class Method:
    """A remote method.

    Attributes:
        name: what it is called by.
        words: its documentation.
        signature: its parameters and result, as text.
        roles: which roles may call it; empty when everyone may.
    """

    name: str
    words: str
    signature: str
    roles: frozenset[str]
    _function: Callable[..., Any]
    _arguments: type[msgspec.Struct]
    _given: tuple[str, ...]  # what of `peer` and `deadline` it wants
    _by_position: bool  # whether it wants neither, and can be called the quick way
    _clock: Any

    def call(self, peer: Any, arguments: dict[str, Any], patience: float) -> Any:
        """Call it with arguments from the wire.

        Args:
            peer: who calls.
            arguments: by name.
            patience: seconds that the caller waits.

        Raises:
            CallRefused: the caller may not call it, or an argument is missing, unknown or of
                another type.
        """
        if self.roles:
            self._check_roles(peer)
        try:
            checked = msgspec.convert(arguments, self._arguments)
        except msgspec.ValidationError as error:
            raise CallRefused(BAD_ARGUMENTS, f"{self.signature}: {error}") from None
        if self._by_position:
            return self._function(*astuple(checked))
        named = {name: getattr(checked, name) for name in self._arguments.__struct_fields__}
        if CALLER in self._given:
            named[CALLER] = peer
        if DEADLINE in self._given:
            named[DEADLINE] = Deadline(self._clock, patience)
        return self._function(**named)

    def _check_roles(self, peer: Any) -> None:
        """Refuse a caller whose certificate has none of the roles that may call this.

        A link without certificates is on loopback, or in a network that the operator trusts.
        """
        if peer.roles is None or not self.roles.isdisjoint(peer.roles):
            return
        if MASTER in self.roles and peer.is_master:
            return
        may = " or ".join(sorted(self.roles))
        has = ", ".join(sorted(peer.roles)) or "none"
        raise CallRefused(FORBIDDEN, f"{self.name} is for {may}; your certificate's roles: {has}")


def _describe(told: _Exposed, name: str, function: Callable[..., Any], clock: Any) -> Method:
    signature = inspect.signature(function)
    hints = get_type_hints(function)
    fields: list[Any] = []
    given = tuple(n for n in (CALLER, DEADLINE) if n in signature.parameters)
    shown = [p for p in signature.parameters.values() if p.name not in given]
    for parameter in shown:
        if parameter.name not in hints or parameter.kind in _VARIABLE:
            raise TypeError(f"{name}: parameter {parameter.name} needs an annotation")
        if parameter.name == TIMEOUT:
            raise TypeError(f"{name}: a parameter cannot be named {TIMEOUT}, which is the caller's")
        field = (parameter.name, hints[parameter.name])
        has_default = parameter.default is not parameter.empty
        fields.append((*field, parameter.default) if has_default else field)
    return Method(
        name=name,
        words=inspect.getdoc(function) or "",
        signature=name + str(signature.replace(parameters=shown)).replace("'", ""),
        roles=told.roles,
        function=function,
        arguments=msgspec.defstruct(name.title(), fields, kw_only=True, forbid_unknown_fields=True),
        given=given,
        by_position=not given and all(p.kind is not p.KEYWORD_ONLY for p in shown),
        clock=clock,
    )


class MethodTable(dict[str, Method]):
    """The methods that an agent answers, by name; asking for another is refused.

    Built from objects whose methods are marked with `exposed`, or from marked functions.

    Args:
        sources: those objects and functions.
        clock: tells methods how long their callers wait.
    """

    def __init__(self, sources: Iterable[object], clock: Any) -> None:
        super().__init__()
        self._clock = clock
        for source in sources:
            self.add(source)

    def add(self, source: object, prefix: str = "") -> None:
        """Add the marked methods of an object, or a marked function.

        Raises:
            TypeError: nothing is marked, a marked function cannot be checked, or another has
                its name.
        """
        members: list[Any] = [source] if hasattr(source, _MARK) else _marked(source)
        if not members:
            raise TypeError(f"{source!r} has nothing for peers to call: mark it with @exposed")
        for function in members:
            told: _Exposed = getattr(function, _MARK)
            name = prefix + told.name
            if name in self:
                raise TypeError(f"there are two methods {name}: give one another name")
            self[name] = _describe(told, name, function, self._clock)

    def __missing__(self, name: str) -> Method:
        raise CallRefused(UNKNOWN_METHOD, f"there is no method {name[:80]!r}; see hip methods")


def _marked(source: object) -> list[Any]:
    kind = type(source)  # the class is looked at, lest a property of the object be run
    names = [name for name in dir(kind) if hasattr(getattr(kind, name, None), _MARK)]
    return [getattr(source, name) for name in names]
