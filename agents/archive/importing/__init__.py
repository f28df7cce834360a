"""Bringing files of web archives into the archive (`dlweb import`; *Cornell §4.2*)."""
