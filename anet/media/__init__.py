"""Live audio and video: the protocols that carry it, and the time that is in it (*INA §1.6*).

Knows nothing of archives. Protocols are given bytes and give bytes; what is received goes on as it
came, and nothing here decodes or encodes sound.

    interface    what a live source gives, whatever its protocol
    errors       what can go wrong
"""
