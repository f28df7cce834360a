"""Taking bodies as they arrive, and having parsers find the links in them (*INA §1.4.3*)."""
