"""Commands for whole leagues with their tournaments."""
