"""Policies walk through histories of change: how fresh is the archive, and at what cost?

histories · laws                  when pages changed: recorded, or made up by known laws
policies · adaptive               the literature's policies, and ours
simulator                         what becomes of freshness and age
comparison · chart                several policies at one cost, as a table and as a picture
"""
