"""The archive itself: one folder an agent, and beside them the values that agents share."""
