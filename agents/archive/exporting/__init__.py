"""Giving captures of the archive away in the field's formats (`dlweb export`)."""
