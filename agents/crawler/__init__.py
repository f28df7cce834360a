"""The site crawler (*INA §1.4*): it collects one website at a time, as it is ordered to.

crawler     free, or busy with one crawl; `service`, `methods` and `pages` are its face
crawl       one crawl, from its order to its directory, put together by `parts`
collector   one URL: robots.txt, fetch, record, judge the links

network/    how servers are spoken to, politely
reading/    bodies as they arrive, and the parsers (`agents.parsers`) that find links in them
strategy/   which links are followed, in which order, and where that stops
nursery/    forks crawlers
"""
