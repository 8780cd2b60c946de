"""Sentences that are wanted in both languages at once, and where nothing but Python is at hand."""

from tournaments.phrases.needs import LANGUAGES, Sentences, sentences

__all__ = ["LANGUAGES", "Sentences", "sentences"]
