"""Which class describes each section of the configuration; imported only when asked for."""

from importlib import import_module
from typing import Any

from agents.configuration import Configuration

_CLASSES = {
    "security": "agents.configuration.security:SecurityConfig",
    "archive": "agents.archive.config:ArchiveConfig",
    "scheduler": "agents.scheduler.config:SchedulerConfig",
    "nursery": "agents.crawler.config:NurseryConfig",
    "site-crawler": "agents.crawler.config:SiteCrawlerConfig",
    "connectivity": "agents.connectivity.config:ConnectivityConfig",
    "feed-aggregator": "agents.feeds.config:FeedAggregatorConfig",
    "streaming": "agents.streaming.config:StreamingConfig",
    "storage-master": "agents.storage.master.config:StorageMasterConfig",
    "index-node": "agents.storage.index.config:IndexNodeConfig",
    "storage-node": "agents.storage.node.config:StorageNodeConfig",
    "consultation": "agents.consultation.config:ConsultationConfig",
}


def section_class(name: str) -> Any:
    """Return the attrs class of a section."""
    module, _, cls = _CLASSES[name].partition(":")
    return getattr(import_module(module), cls)


def section(configuration: Configuration, name: str) -> Any:
    """Return a section, checked.

    Raises:
        ConfigurationError: it holds what its agent would refuse.
    """
    return configuration.section(name, section_class(name))


def all_sections() -> dict[str, Any]:
    """Return the class of every section by name."""
    return {name: section_class(name) for name in _CLASSES}
