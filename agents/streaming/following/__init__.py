"""Streams that come in segments (HLS, DASH), followed for as long as they last (*INA §1.6*).

Manifests are read again and again, and all that they name is fetched while it can be had; each
answer is an ordinary capture of its own URL.

    following   one stream: its manifests, and how it stands
    hls, dash   reading its manifests, each in its rhythm; reading: what they are given for it
    manifests   what manifests say, large ones read in a worker process
    intake      having everything fetched that is new
    tracks      the variants and representations of it, and how far each was followed
    choosing    which of them are followed
    errands     what is to be fetched, within limits
    hearing     titles within segments
    fetching    asking servers, and keeping what they answer
    answers     what servers answer, and how it is kept
    chronicle   the log: true time, titles, what is missing
    configured  how streams are followed, as the configuration says
    errors      what can go wrong
"""

from agents.streaming.following.configured import manners_of, rules_of
from agents.streaming.following.errors import FollowingError, NotFetched
from agents.streaming.following.fetching import Fetcher, Manners
from agents.streaming.following.following import Following, Means
from agents.streaming.following.intake import Rules
from agents.streaming.following.manifests import Manifests

__all__ = [
    "Fetcher",
    "Following",
    "FollowingError",
    "Manifests",
    "Manners",
    "Means",
    "NotFetched",
    "Rules",
    "manners_of",
    "rules_of",
]
