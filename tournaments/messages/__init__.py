"""What the core of tournaments says in codes, said in sentences of the reader's language."""
