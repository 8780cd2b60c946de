"""Whole ways through the site, walked as people walk them: from the first page, by links and forms only."""
