"""Which links are followed, in which order, and where that stops (*INA §1.4.1, §1.4.2*)."""
