"""Sentences that are wanted in both languages at once, and where nothing but Python is at hand."""

from tournaments.phrases.last_hand import LastHandSentences, last_hand_sentences
from tournaments.phrases.needs import LANGUAGES, Sentences, sentences

__all__ = ["LANGUAGES", "LastHandSentences", "Sentences", "last_hand_sentences", "sentences"]
