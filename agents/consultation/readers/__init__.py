"""Who reads the archive, what each reader chose, and what is on their screens (*INA §2.4.3*).

reader        a reader, as the doors know them
readers       what each reader chose
kept          the same over a restart
visits        readers told apart by a cookie (*Cornell §5.3.1*)
tickets       what proves that cookie, and carries it from host to host
cookies       it among the cookies of the archived web
destinations  what a browser wants an answer for
screens       the pages that were given to each reader, and what belongs to them
screen        one of them, and how far apart in time it is
"""
