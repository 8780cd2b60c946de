"""Django admin for support: everything can be read; the little that can be changed goes through the services.

Results, boards, rules and the history can be changed only on the league's own pages.
"""

from league.admin import people, records

__all__ = ["people", "records"]
