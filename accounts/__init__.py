"""How people come in, what is theirs, and how they leave."""
