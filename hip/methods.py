"""Remote methods: marked, typed, checked on arrival, described to whoever asks."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, get_type_hints

import msgspec
from attrs import frozen

from hip.errors import BAD_ARGUMENTS, UNKNOWN_METHOD, CallRefused

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Value = TypeVar("_Value")
_MARK = "_hip_name"
CALLER = "peer"  # a parameter of this name is given the calling peer, and is never sent


def exposed(function: _Function) -> _Function:
    """Mark a method (or function) as one that peers may call by its name.

    Its parameters must be annotated; what arrives is checked against the annotations. They
    may be None, bool, int, float, str, bytes, lists, dictionaries, unions of these, and attrs
    classes of them. It may be plain, a coroutine, or return a Deferred.
    """
    setattr(function, _MARK, function.__name__)
    return function


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
    """

    name: str
    words: str
    signature: str
    _function: Callable[..., Any]
    _arguments: type[msgspec.Struct]
    _wants_peer: bool

    def call(self, peer: object, arguments: dict[str, Any]) -> Any:
        """Call it with arguments from the wire.

        Raises:
            CallRefused: an argument is missing, unknown or of another type.
        """
        try:
            checked = msgspec.convert(arguments, self._arguments)
        except msgspec.ValidationError as error:
            raise CallRefused(BAD_ARGUMENTS, f"{self.signature}: {error}") from None
        given = {name: getattr(checked, name) for name in self._arguments.__struct_fields__}
        if self._wants_peer:
            given[CALLER] = peer
        return self._function(**given)


def _describe(name: str, function: Callable[..., Any]) -> Method:
    signature = inspect.signature(function)
    hints = get_type_hints(function)
    fields: list[Any] = []
    for parameter in signature.parameters.values():
        if parameter.name == CALLER:
            continue
        if parameter.name not in hints or parameter.kind is parameter.VAR_POSITIONAL:
            raise TypeError(f"{name}: parameter {parameter.name} needs an annotation")
        field = (parameter.name, hints[parameter.name])
        has_default = parameter.default is not parameter.empty
        fields.append((*field, parameter.default) if has_default else field)
    shown = [p for p in signature.parameters.values() if p.name != CALLER]
    return Method(
        name=name,
        words=inspect.getdoc(function) or "",
        signature=name + str(signature.replace(parameters=shown)).replace("'", ""),
        function=function,
        arguments=msgspec.defstruct(name.title(), fields, kw_only=True, forbid_unknown_fields=True),
        wants_peer=CALLER in signature.parameters,
    )


class MethodTable:
    """The methods that an agent answers.

    Built from objects whose methods are marked with `exposed`, or from marked functions.
    """

    def __init__(self, sources: Iterable[object]) -> None:
        self._methods: dict[str, Method] = {}
        for source in sources:
            self.add(source)

    def add(self, source: object, prefix: str = "") -> None:
        """Add the marked methods of an object, or a marked function."""
        members: list[Any] = [source] if hasattr(source, _MARK) else _marked(source)
        for function in members:
            name = prefix + getattr(function, _MARK)
            self._methods[name] = _describe(name, function)

    def __iter__(self) -> Iterator[Method]:
        return iter(sorted(self._methods.values(), key=lambda method: method.name))

    def __getitem__(self, name: str) -> Method:
        if name not in self._methods:
            raise CallRefused(UNKNOWN_METHOD, f"there is no method {name[:80]!r}; see hip methods")
        return self._methods[name]


def _marked(source: object) -> list[Any]:
    names = [name for name in dir(type(source)) if hasattr(getattr(type(source), name), _MARK)]
    return [getattr(source, name) for name in names]
