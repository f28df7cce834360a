"""What a streaming agent shows a person: all streams, one of them (*INA figure 4*), and metrics."""

from agents.streaming.pages.serving import StreamingPages

__all__ = ["StreamingPages"]
