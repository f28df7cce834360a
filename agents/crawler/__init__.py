"""The site crawler: collects one web site at a time, politely and whole (*INA §1.4*)."""
