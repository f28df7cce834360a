"""Who reads the archive, what each reader chose, and what is on their screens (*INA §2.4.3*).

reader    a reader, as the doors know them
readers   what each reader chose
screens   the pages that were given to each reader, and what belongs to them
"""
