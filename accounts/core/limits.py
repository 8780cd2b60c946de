"""How long and how many things may be that people bring along."""

MAX_LABEL_LENGTH = 60
"""Characters of the line by which organisers tell an invitation."""

MAX_CLAIM_LENGTH = 200
"""Characters of a claim's note."""

MAX_USES = 100
"""People per invitation."""

MAX_OPEN_INVITATIONS = 200
"""Invitations of a league that are open at a time."""
