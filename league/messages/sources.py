from django.utils.translation import gettext as _

TABLE_LINK = "table link "
ATTENDANCE_LINK = "attendance link"


def source_words(source: str) -> str:
    """Return the source of an anonymous action, such as a table link, as text; "" for other sources."""
    if source == ATTENDANCE_LINK:
        return _("Attendance link")
    if not source.startswith(TABLE_LINK):
        return ""
    return _("Link for table %(table)s") % {"table": source.removeprefix(TABLE_LINK)}
