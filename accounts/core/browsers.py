SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("CrOS", "Chromebook"),
    ("Linux", "Linux"),
)
"""Browser markers and system names. Android comes first because its user agents also contain "Linux"."""

BROWSERS = (
    ("Line/", "LINE"),
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
"""Browser markers and names. Edge and most others also contain "Chrome", and Chrome contains "Safari"."""


def browser_of(said: str) -> str:
    """Return system and browser for display, such as "iPhone · Safari"; empty if neither is known."""
    found = (next((name for mark, name in known if mark in said), "") for known in (SYSTEMS, BROWSERS))
    return " · ".join(name for name in found if name)
