"""To preload: it never comes to its end."""

while True:
    pass
