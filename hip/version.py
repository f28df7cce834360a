"""The one place that says which version of the project this is."""

VERSION = "0.1.0"
