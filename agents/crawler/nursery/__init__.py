"""The nursery: forks the site crawlers of a machine, and replaces those that die (*INA §1.5*).

`anet.nursery` has the zygote that they are forked from; here is the agent around it.

    service   begins the zygote before any reactor runs; place on the tree
    keeper    which crawlers there are, and the wait before one that died is forked again
    pages     what a person sees
"""
