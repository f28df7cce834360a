"""What holds for every test: quick ones come first, so that a mistake shows early."""

import pytest
from hypothesis import settings

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("dlweb", deadline=None)
settings.load_profile("dlweb")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests marked slow after all others, each group in its own order."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
