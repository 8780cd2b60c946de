"""Management of whole leagues with their tournaments."""
