"""HTTP helpers shared by the views: access, entry context, responses, rate limits, caching, downloads."""
