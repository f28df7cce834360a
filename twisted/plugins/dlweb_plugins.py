"""What `twistd` offers once dlweb is installed: one plugin an agent, and the whole archive.

Modules are named by string and imported only when their plugin is chosen, so that listing the
plugins stays quick and one broken agent does not hide the others.
"""

from twisted.application.service import ServiceMaker

archive = ServiceMaker(
    "dlweb archive",
    "agents.archive.service",
    "A whole web archive on this machine: starts every agent and keeps them running.",
    "archive",
)
scheduler = ServiceMaker(
    "dlweb scheduler",
    "agents.scheduler.service",
    "Decides which web sites are collected when, and by which site crawler.",
    "scheduler",
)
nursery = ServiceMaker(
    "dlweb nursery",
    "agents.crawler.nursery.service",
    "Forks site crawlers on this machine, and replaces the ones that die.",
    "nursery",
)
site_crawler = ServiceMaker(
    "dlweb site crawler",
    "agents.crawler.service",
    "Collects one web site at a time.",
    "site-crawler",
)
connectivity = ServiceMaker(
    "dlweb connectivity agent",
    "agents.connectivity.service",
    "Judges finished crawls and deposits them in the storage.",
    "connectivity",
)
feed_aggregator = ServiceMaker(
    "dlweb feed aggregator",
    "agents.feeds.service",
    "Follows feeds, and tells the scheduler of new and changed pages.",
    "feed-aggregator",
)
streaming = ServiceMaker(
    "dlweb streaming",
    "agents.streaming.service",
    "Listens to live audio and video, and keeps it in true time.",
    "streaming",
)
storage_master = ServiceMaker(
    "dlweb storage master",
    "agents.storage.master.service",
    "Watches over the storage nodes and the replicas they hold.",
    "storage-master",
)
index_node = ServiceMaker(
    "dlweb index node",
    "agents.storage.index.service",
    "Says where contents are, and where new ones go.",
    "index-node",
)
storage_node = ServiceMaker(
    "dlweb storage node",
    "agents.storage.node.service",
    "Keeps contents and structure files on this machine's disks, and serves them.",
    "storage-node",
)
consultation = ServiceMaker(
    "dlweb consultation",
    "agents.consultation.service",
    "The proxy through which a browser walks the archived web.",
    "consultation",
)
