"""Finding the sites of a portion of the web: pure policy of the expansion (*INA §1.5.1*)."""
