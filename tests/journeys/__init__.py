"""Journeys through the site, as users take them: from the home page, by links and forms only."""
