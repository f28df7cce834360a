"""A caching DNS client: what the web's names lead to, without a thread for each question.

    resolver = Resolver(reactor)            # a service; running, it is the reactor's resolver
    addresses = await resolver.resolve("example.org")

Messages are Twisted's (`twisted.names.dns`); asking, judging and keeping are here:

question   one question, and whether an answer is its own      exchange   by UDP (datagram), or TCP
answers    what an answer says                                 servers    whom to ask, in turn
policy     what is made of it, and how long it is kept         families   IPv4 and IPv6 together
system     resolv.conf and hosts files                         resolver   all of it, and the cache
"""

from anet.dns.policy import Keeping
from anet.dns.resolver import Figures, Resolver, Sources
from anet.dns.system import Server, parse_hosts

__all__ = ["Figures", "Keeping", "Resolver", "Server", "Sources", "parse_hosts"]
