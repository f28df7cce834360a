"""What listening takes, made from the configuration."""

from typing import Any

from agents.collected import Captures
from agents.stream import OrderedStream
from agents.streaming import following
from agents.streaming.config import StreamingConfig
from agents.streaming.cutting import Lengths
from agents.streaming.listening import Following, Means
from agents.streaming.opening import Manifest, Opener
from agents.streaming.protocols import protocols
from agents.streaming.reception import Rules
from agents.streaming.recording import Recorder
from agents.streaming.standing import OnNews
from agents.streaming.tide import Tide
from anet.backoff import Backoff


def make_fetcher(reactor: Any, config: StreamingConfig, captures: Captures) -> following.Fetcher:
    """Return what fetches manifests and segments."""
    return following.Fetcher(reactor, following.manners_of(config), captures)


def make_means(
    reactor: Any,
    config: StreamingConfig,
    tide: Tide,
    captures: Captures,
    recorder: Recorder,
    fetcher: following.Fetcher,
    manifests: following.Manifests,
) -> Means:
    """Return what listening takes."""
    for_channels = following.Means(
        reactor, fetcher, recorder, manifests, following.rules_of(config)
    )

    def follow(ordered: OrderedStream, manifest: Manifest, on_news: OnNews) -> Following:
        return following.Following(for_channels, ordered, manifest.kind, manifest.url, on_news)

    return Means(
        reactor,
        tide,
        Opener(reactor, protocols(reactor, config), captures),
        recorder,
        Rules(
            config.silence,
            config.log_interval,
            Lengths(config.piece_seconds, config.piece_size),
        ),
        lambda: Backoff(config.retry_first, config.retry_longest),
        follow,
    )
