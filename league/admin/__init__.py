"""The admin for support: everything can be read; what may be changed goes through the services and leaves a trail.

Results, boards, rules and the history are read here and changed on the league's own pages only.
"""

from league.admin import people, records, results

__all__ = ["people", "records", "results"]
