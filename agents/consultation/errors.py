"""Every error of the consultation room.

ConsultationError
├── Faulted           the archive has a hole where a browser asked; holds the fault
├── LookupFailed      nobody who knows where files lie could be asked, or can be sure
├── NodesFailed       nodes hold the file and none of them gave it
├── ContentDamaged    what a node gave is not what its name says
├── AuthorityDamaged  the authority for https:// URLs cannot be used
├── ReadersDamaged    the file of readers who may come in holds what is none
└── RulesRefused      the file of access rules holds what is no rule
"""

from agents.consultation.faults.fault import Fault


class ConsultationError(Exception):
    """Root of the room's errors; the message says what happened."""


class Faulted(ConsultationError):
    """The archive cannot give what was asked; the fault says why, for the browser."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.title)
        self.fault = fault


class LookupFailed(ConsultationError):
    """No index node could be asked and multicast is not available, or nobody can be sure."""


class NodesFailed(ConsultationError):
    """Every node that should hold the file failed to give it."""


class ContentDamaged(ConsultationError):
    """The bytes of a content do not have the SHA-256 that names it."""


class RulesRefused(ConsultationError):
    """The access rules are none; the message says which, and what was expected."""


class AuthorityDamaged(ConsultationError):
    """The file of the archive's authority cannot be used; the message says what to do."""


class ReadersDamaged(ConsultationError):
    """A line of the file of readers is none; the message names it."""
