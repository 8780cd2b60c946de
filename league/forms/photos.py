from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from league.forms.entry.fields import PhotoField
from league.messages.photos import photo_sentence
from league.services.photos import CleanedPhoto, PhotoError


class PhotoForm(forms.Form):
    photo = PhotoField()

    def picture(self) -> CleanedPhoto:
        return cast("CleanedPhoto", self.cleaned_data["photo"])

    def refuse(self, error: PhotoError) -> None:
        self.add_error("photo", photo_sentence(error.code))


def picture_in(files: MultiValueDict[str, UploadedFile[Any]]) -> CleanedPhoto | None:
    form = PhotoForm(None, files)
    return form.picture() if form.is_valid() else None
