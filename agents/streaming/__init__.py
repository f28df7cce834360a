"""The streaming agent: listens to live audio and video for years (*INA §1.6*).

It is a slave of the scheduler, which says what to listen to and keeps what is known of each stream.

    streams · telling · methods  all streams; the scheduler is told what becomes of them
    listening · standing         one stream, through all its breaks, and what is known of it
    tallies · history            what is counted of it, and its last day
    opening · playlists          from its URL to where it comes from
    protocols                    what asks for a URL
    reception · cutting          what comes in over one connection, and where pieces are cut
    tide                         reading all streams once a second
    true_time · noting           the source's clock beside ours, and when both are noted
    recording                    pieces and logs on their way to the disk and into the archive
    following                    streams in segments
    service · making · pages     the agent itself, and what it shows
"""
