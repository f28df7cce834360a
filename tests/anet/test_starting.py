"""A service that cannot start says so in words."""

import errno
import sys

import pytest
from twisted.application.service import IService, Service

from anet.errors import AddressInUse
from anet.starting import CannotStart, StartingService, in_words, words


class Refusing(Service):
    """A part that cannot start."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def startService(self) -> None:
        raise self._error


@pytest.fixture(autouse=True)
def hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the interpreter's own last word as it was."""
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)


def test_a_part_that_cannot_start_is_an_exception_that_ends_in_words(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The error's words are all that a person sees when nobody catches it."""
    service = StartingService(Refusing(AddressInUse("somebody is there; choose another port")))
    with pytest.raises(CannotStart, match="choose another port") as caught:
        service.startService()
    sys.excepthook(caught.type, caught.value, caught.tb)
    assert capfd.readouterr().err.splitlines()[-1] == "somebody is there; choose another port"


def test_what_nobody_expects_keeps_its_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    """A fault of ours is told in full, also after a refusal."""
    with pytest.raises(ZeroDivisionError):
        StartingService(Refusing(ZeroDivisionError())).startService()
    with pytest.raises(CannotStart):
        StartingService(Refusing(AddressInUse("taken"))).startService()
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    assert "Traceback" in capfd.readouterr().err


def test_a_service_that_cannot_be_made_ends_the_process_in_words() -> None:
    """An unusable folder is named, with what to do; what is made starts in words too."""

    @in_words(KeyError)
    def make(error: Exception | None) -> IService:
        if error is not None:
            raise error
        return Refusing(KeyError("missing"))

    with pytest.raises(SystemExit, match=r"^/x cannot be used: denied; .* another folder$"):
        make(OSError(errno.EACCES, "denied", "/x"))
    with pytest.raises(SystemExit, match="missing"):
        make(KeyError("missing"))
    with pytest.raises(ZeroDivisionError):
        make(ZeroDivisionError())
    with pytest.raises(CannotStart, match="missing"):
        make(None).startService()  # type: ignore[attr-defined]


def test_an_error_without_a_file_is_told_as_it_is() -> None:
    """Not every error of the system is about a file."""
    assert words(OSError(errno.EMFILE, "too many")) == f"[Errno {errno.EMFILE}] too many"
