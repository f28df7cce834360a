"""Live streams of sites: which are listened to, and by which agent (*INA §1.6*).

life · choosing · placing    what streams go through, which are wanted, and where: pure
listeners                    the streaming agents that are linked, and what they were told
streaming                    all of it at work
methods                      what it answers over HIP, to agents and to people
"""
