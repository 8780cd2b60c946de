"""A photo as it is handed in, and the reason for which one is taken out of sight."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from league.core.photo_sizes import MAX_PHOTO_BYTES
from league.messages.photos import photo_sentence
from league.services.photos import CleanedPhoto, PhotoError, clean_photo

ACCEPTED = "image/jpeg,image/png,image/webp"
"""Named one by one, so that a phone with a format of its own turns the picture into one of these."""


class PhotoField(forms.FileField):
    """A photo; what comes out is ready to be stored, or None."""

    def __init__(self, *, required: bool = True) -> None:
        widget = forms.FileInput(attrs={"accept": ACCEPTED, "data-photo": ""})
        super().__init__(label=_("Photo"), required=required, widget=widget, allow_empty_file=True)

    def clean(self, data: object, initial: object = None) -> CleanedPhoto | None:
        """Return the picture made small and clean; say in one sentence why it is not taken."""
        file = cast("UploadedFile[Any] | None", super().clean(data, initial))
        if file is None or file is initial:
            return None
        try:
            return clean_photo(file.read(MAX_PHOTO_BYTES + 1))
        except PhotoError as error:
            raise ValidationError(photo_sentence(error.code), error.code) from error


class PhotoForm(forms.Form):
    """One more photo of a hanchan."""

    photo = PhotoField()

    def picture(self) -> CleanedPhoto:
        """Return the picture; only for a valid form."""
        return cast("CleanedPhoto", self.cleaned_data["photo"])

    def refuse(self, error: PhotoError) -> None:
        """Say why a picture that could be read is not kept."""
        self.add_error("photo", photo_sentence(error.code))


def picture_in(files: MultiValueDict[str, UploadedFile[Any]]) -> CleanedPhoto | None:
    """Return the picture that came along, if there is one that can be kept."""
    form = PhotoForm(None, files)
    return form.picture() if form.is_valid() else None
