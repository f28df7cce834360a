"""Radios and televisions at a date (*INA §1.6, §2.2.2*): what was on the air, as it was received.

radio        the answer to who asks for an endless stream: it goes on from the reader's date
  beginning    the place where it begins: the date's byte, then the next whole frame
  entries      what is on the air from a date on, looked up part by part
  legs         which bytes came between which dates
  blocks       those bytes, fetched as they are needed
  playing      their way to the listener, at the pace of true time
  listeners    how many there are
  icy          titles, put back between the bytes
television   manifests as they were, moment after moment
  sessions     at which moment each reader is
  manifests    what they refer to
catalogue    which streams there are, when they were heard, and what was said of them
  tables       its file
  reading      how it learns of them
logs         what a streaming agent noted while it listened
"""
