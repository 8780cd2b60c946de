"""The import that an address names, what the pages of its steps ask of it, and its file, which is read ahead of a form."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from league.forms.imports import ReadingForm, UploadForm
from league.http.access import Ahead
from league.models import ImportBatch, League
from league.services.imports.ahead import reading_once
from league.services.imports.checking import is_long
from league.services.imports.steps import look_at_file, look_at_upload, preview_file
from league.services.imports.values import ImportFileError

State = ImportBatch.State


def batch_of(league: League, pk: int) -> ImportBatch:
    """Return an import of the league. Raises Http404."""
    batch = get_object_or_404(league.imports.select_related("job", "created_by"), pk=pk)
    batch.league = league
    return batch


def is_running(batch: ImportBatch) -> bool:
    """Return whether somebody has to wait for the import; a job that has ended without it is no reason to."""
    return batch.state == State.RUNNING and batch.job is not None and not batch.job.is_over


def is_settled(batch: ImportBatch) -> bool:
    """Return whether there is nothing left to decide about the import."""
    return batch.state in {State.DONE, State.UNDONE} or is_running(batch)


def seen(batch: ImportBatch) -> str:
    """Return what changes with anything that decides what a run does: the choices, and what the last check found."""
    decided = json.dumps(
        [batch.reading, batch.names, batch.mended, batch.options, batch.report], sort_keys=True, default=str
    )
    return hashlib.sha256(decided.encode()).hexdigest()


@contextmanager
def upload_ahead(request: HttpRequest, league: League) -> Iterator[None]:
    """Read what is uploaded before the form begins; what is to be said of it is said by the page."""
    with reading_once():
        if request.method == "POST" and not getattr(request, "is_too_large", False):
            form = UploadForm(request.POST, request.FILES)
            if form.is_valid():
                name, content = form.upload
                with suppress(ImportFileError):
                    look_at_upload(league=league, file_name=name, data=content)
        yield


def file_ahead(name: str) -> Ahead:
    """Return what surrounds the form of a step: it reads the stored file first, where that step does so at all."""

    @contextmanager
    def surrounding(request: HttpRequest, league: League, pk: int) -> Iterator[None]:
        with reading_once():
            if request.method == "POST":
                batch = batch_of(league, pk)
                if not is_settled(batch) and _is_read(request, batch, name):
                    with suppress(ImportFileError):
                        _look_at(request, batch, name)
            yield

    return surrounding


def _is_read(request: HttpRequest, batch: ImportBatch, name: str) -> bool:
    if name == "check":
        return "anew" in request.POST and not is_long(batch)
    if name == "run":
        return not is_long(batch) or batch.report is None
    return True


def _look_at(request: HttpRequest, batch: ImportBatch, name: str) -> None:
    if name != "reading":
        look_at_file(batch)
        return
    form = ReadingForm(request.POST, preview=preview_file(batch))
    if form.is_valid():
        look_at_file(batch, form.reading)
