"""Questions to many at once, "who has this key?", answered by those who know (*INA §2.3.2*).

There are 256 groups, one for each first byte of a key, in one range of addresses
(239.192.77.0 to 239.192.77.255). Who holds a key joins its group; who looks for one asks the
group, and takes the answers that come within a short time.

    datagrams  questions and answers as bytes, small and bounded
    groups     where questions are asked
    seal       only those who share a secret are heard
    listener   answers the questions of the groups it has joined
    locator    asks
    trial      whether multicast works here

The groups are in the administratively scoped range, and the default time to live of 0 keeps
datagrams on this machine.
"""

from anet.multicast.datagrams import Answer, MalformedDatagram, Question
from anet.multicast.groups import GROUPS, MEMBERSHIPS, Groups
from anet.multicast.listener import GroupListener, Know
from anet.multicast.locator import MulticastLocator
from anet.multicast.trial import probe

__all__ = [
    "GROUPS",
    "MEMBERSHIPS",
    "Answer",
    "GroupListener",
    "Groups",
    "Know",
    "MalformedDatagram",
    "MulticastLocator",
    "Question",
    "probe",
]
