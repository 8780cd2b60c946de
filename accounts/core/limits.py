MAX_LABEL_LENGTH = 60
"""Characters of the label that tells organisers' invitations apart."""

MAX_CLAIM_LENGTH = 200

MAX_USES = 100

MAX_OPEN_INVITATIONS = 200
