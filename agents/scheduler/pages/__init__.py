"""What the scheduler shows a person, and lets one decide; figures for Prometheus."""

from agents.scheduler.pages.serving import SchedulerPages

__all__ = ["SchedulerPages"]
