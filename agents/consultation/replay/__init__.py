"""The archive for browsers without its proxy: `/web/<date>/<url>`, at an origin of its own.

places   what a path asks for
raw      a capture as it was received, in fields that concern no browser of today
frame    the page around an archived page, and the policies that keep it in the archive
engine   the replay engine, which runs in the browser
replay   from a request to its answer
"""
