"""Live audio and video: the protocols that carry it, and the time that is in it (*INA §1.6*).

Knows nothing of archives. Protocols are given bytes and give bytes; what is received goes on as it
came, and nothing here decodes or encodes sound.

    interface · errors    what a live source gives, whatever its protocol; what can go wrong
    kinds                 what kind of answer a server gives
    tidal                 connections that are read when they are asked for
    live_http · icy       radio over HTTP, and the titles in it
    rtsp · mms            likewise, of other protocols
    segments · hls · dash channels in segments
    timing                the time in media, by their own bytes
"""
