"""What all links of one agent share."""

from attrs import frozen
from twisted.internet.interfaces import IReactorTime

from anet.gathering import Turn
from hip.greeting import Greeting
from hip.limits import Limits
from hip.liveness import Liveness
from hip.methods import MethodTable


@frozen
class Household:
    """What all links of one agent share.

    Attributes:
        clock: tells the time.
        greeting: what the agent says of itself.
        methods: what may be called.
        limits: what its links accept.
        turn: gathers what they write.
        liveness: watches them.
    """

    clock: IReactorTime
    greeting: Greeting
    methods: MethodTable
    limits: Limits
    turn: Turn
    liveness: Liveness
