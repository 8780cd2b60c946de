"""Django admin for support: everything can be read. Leagues are changed on their own pages, which the host may open."""

from league.admin import people, records

__all__ = ["people", "records"]
