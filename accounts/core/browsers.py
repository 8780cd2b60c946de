SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("CrOS", "Chromebook"),
    ("Linux", "Linux"),
)
"""Browser markers and system names; Android also says Linux, so it comes first."""

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
"""The same; Edge and most others say Chrome too, and Chrome says Safari."""


def browser_of(said: str) -> str:
    """Return the system and the browser in the words of people, such as "iPhone · Safari"; empty where neither is known."""
    found = (next((name for mark, name in known if mark in said), "") for known in (SYSTEMS, BROWSERS))
    return " · ".join(name for name in found if name)
