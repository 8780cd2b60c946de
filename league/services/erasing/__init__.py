"""A person's names go from everything that a league keeps. docs/adr/0048."""
