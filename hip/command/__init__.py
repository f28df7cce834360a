"""The `hip` command: look into running agents, and call them.

    arguments  what may be asked on the command line
    console    the link to the tree that asks
    showing    answers as text for people, or as JSON
    watching   the same question again and again
    certs      making, listing, renewing and revoking certificates
    verbs      each verb, and the errors of all

Errors are one line, and an exit status.
"""

from hip.command.arguments import parser
from hip.command.verbs import main

__all__ = ["main", "parser"]
