"""What pages share on their way in and out: access, the table being entered, answers, limits, freshness, files."""
