"""Whatever is proven of a league, in the order in which it follows from each other."""

from league.services.proofs.boards import BOARDS
from league.services.proofs.facts import FACTS
from league.services.proofs.names import NAMES
from league.services.proofs.photos import PHOTOS
from league.services.proofs.scores import SCORES
from league.services.proofs.values import Proof

proofs: list[Proof] = [FACTS, SCORES, BOARDS, NAMES, PHOTOS]
"""Other apps add theirs when they are loaded."""
