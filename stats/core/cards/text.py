"""A share picture as a message: what somebody writes beside the link."""

from stats.core.cards.card import ShareCard

MAX_LINES = 4
"""So many people are named; a chat shows no more without being asked."""


def card_text(card: ShareCard) -> str:
    """Return whose it is and what it says, a line for each; whoever reads on follows the link."""
    said = [f"{card.place} {card.title}".strip()]
    if card.rows:
        said += [f"{row.mark} {row.name} {row.value}".strip() for row in card.rows[:MAX_LINES]]
    elif card.figures:
        said += [f"{figure.label} {figure.value}" for figure in card.figures[:MAX_LINES]]
    else:
        said += card.words[:1]
    return "\n".join(said)
