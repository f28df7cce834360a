"""Collecting a site once more, out of the archive, and comparing the two (*INA §2.4.4*).

collected    what a crawl left of a site: its captures, its bounds, its graph
remembered   the same of an earlier crawl, by what the archive itself tells of each capture
recrawl      our own site crawler, sent into the archive instead of the web
comparison   what is the same, missing, different, extra, and why: pure
words        the outcome for people, and for programs
"""
