"""Reading a tournament: everything is derived from its facts when it is asked for."""
