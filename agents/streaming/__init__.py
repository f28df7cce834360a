"""The streaming agent: listens to live audio and video for years (*INA §1.6*).

It is a slave of the scheduler, which says what to listen to and keeps what is known of each stream.
"""
