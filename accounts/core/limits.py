"""Maximum lengths and numbers."""

MAX_LABEL_LENGTH = 60
"""Characters of the label that tells organisers' invitations apart."""

MAX_CLAIM_LENGTH = 200
"""Characters of a claim's note."""

MAX_USES = 100
"""Number of people per invitation."""

MAX_OPEN_INVITATIONS = 200
"""Number of open invitations per league."""
