"""Sentences that are wanted in both languages at once, and where nothing but Python is at hand."""

from tournaments.phrases.last_hand import LastHandSentences, last_hand_sentences
from tournaments.phrases.needs import LANGUAGES, Names, Sentences, sentences
from tournaments.phrases.places import Line, LowerLine
from tournaments.phrases.tables import sentences_of_tables
from tournaments.phrases.wild_cards import sentences_of_wild_card

__all__ = [
    "LANGUAGES",
    "LastHandSentences",
    "Line",
    "LowerLine",
    "Names",
    "Sentences",
    "last_hand_sentences",
    "sentences",
    "sentences_of_tables",
    "sentences_of_wild_card",
]
