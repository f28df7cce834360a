"""How streams in segments are followed, as the configuration says."""

from agents.streaming.config import StreamingConfig
from agents.streaming.following.choosing import Choice
from agents.streaming.following.fetching import Manners
from agents.streaming.following.intake import Rules


def manners_of(config: StreamingConfig) -> Manners:
    """Return how servers are spoken to."""
    return Manners(
        config.user_agent,
        connect_timeout=config.connect_timeout,
        silence=config.silence,
        manifest_limit=config.manifest_limit,
        segment_limit=config.segment_limit,
    )


def rules_of(config: StreamingConfig) -> Rules:
    """Return how streams are followed."""
    return Rules(
        Choice(config.variants, config.bitrate, config.best),
        look_back=config.look_back,
        hands=config.segment_requests,
        waiting=config.segments_waiting,
        renew=config.key_period,
        parts=config.parts,
        log_interval=config.log_interval,
        retry_first=config.retry_first,
    )
