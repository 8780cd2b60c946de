from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "empty": _("The photo is empty. Take it again."),
    "too_large": _("The photo is larger than 8 MB. Take it at a lower resolution, or send part of it."),
    "too_many_pixels": _("The photo has more than 40 million pixels. Take it at a lower resolution."),
    "too_many_pixels_whole": _(
        "The picture has more than 16 million pixels. Send it as JPEG or at a lower resolution."
    ),
    "too_many_scans": _("This photo takes too long to read. Take it again, or send it as PNG."),
    "unknown": _("This photo cannot be read. Use JPEG, PNG or WebP."),
    "broken": _("The photo is damaged and cannot be read. Take it again."),
    "too_narrow": _("The photo is too small or too narrow to be legible."),
    "enough": _("This hanchan already has six photos. Remove one first."),
}


def photo_sentence(code: str) -> str:
    return str(SENTENCES[code])
