from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

MAX_UPLOAD_BYTES = 20_000_000
"""Above the limits of all forms, so that each form can report a file that is too large."""


class CappedUploadHandler(FileUploadHandler):
    """Limits the size of uploads. Must come before handlers that store files."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        """Return the chunk for the next handler, or None once the limit is reached."""
        return raw_data if start < MAX_UPLOAD_BYTES else None

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":
        return None
