"""What directors do to a tournament: each function is one act, all or nothing, with its trace in the history."""
