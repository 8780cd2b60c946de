"""The file of a backup: a ZIP of one member for each table and a manifest, sealed with the checksum of all its bytes.

The seal is the comment of the ZIP, its last bytes: `sha256:` and the checksum of everything before. It is written while
the file is, so that a backup can go through a pipe; whoever has the file can check it with `head` and `sha256sum`.
"""

import json
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from pydantic import ValidationError

from league.services.stored_json import as_stored, from_stored

FAMILY = "tenbo-backup/"
FORMAT = f"{FAMILY}1"
MANIFEST = "manifest.json"

SEAL = b"sha256:"
SEAL_LENGTH = len(SEAL) + 64
BLANK = SEAL + b"0" * 64

PACKED = 3
"""How hard zlib tries: harder costs twice the time and saves a tenth."""

AT_ONCE = 1 << 20
"""So many bytes are read at a time."""

MAX_LINE = MAX_MANIFEST = 64 * 1024 * 1024
"""No row is longer: the largest holds an upload of 8 MB in hexadecimal. Whatever is longer was not written here."""


class BackupError(Exception):
    """A backup that cannot be made or brought back; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: `kind` is moment, truth, bytes, key or plain, as both databases write them differently."""

    name: str
    kind: str


@dataclass(slots=True)
class StoredTable:
    """A table in a backup: its rows lie in `member`, one JSON list a line. `last_number`: the last key it gave away."""

    name: str
    member: str
    columns: list[Column]
    rows: int = 0
    sha256: str = ""
    last_number: int = 0


@dataclass(slots=True)
class Manifest:
    """What is in a backup, of which moment, and by which migrations its tables are as they are."""

    format: str
    made_at: str
    tenbo: str
    database: str
    migrations: dict[str, list[str]]
    tables: list[StoredTable] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


# --- Writing -----------------------------------------------------------------------------------------------------------


class _Sealing:
    """A stream that keeps back its last bytes, so that the seal can take their place."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = b""
        self._digest = sha256()

    def write(self, piece: bytes) -> int:
        held = self._held + bytes(piece)
        cut = max(0, len(held) - SEAL_LENGTH)
        self._digest.update(held[:cut])
        self._stream.write(held[:cut])
        self._held = held[cut:]
        return len(piece)

    def flush(self) -> None:
        self._stream.flush()

    def seal(self) -> str:
        digest = self._digest.hexdigest()
        self._stream.write(SEAL + digest.encode())
        self._stream.flush()
        return digest


class ArchiveWriter:
    """An archive that is being written: table after table, the manifest at the end."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    def add(self, table: StoredTable, chunks: Iterable[list[str]]) -> Iterator[int]:
        """Write the rows of a table, given as lists of lines, and note how many there were; yield how many so far."""
        digest = sha256()
        with self._archive.open(table.member, "w", force_zip64=True) as member:
            for lines in chunks:
                piece = "".join(f"{line}\n" for line in lines).encode()
                digest.update(piece)
                member.write(piece)
                table.rows += len(lines)
                yield table.rows
        table.sha256 = digest.hexdigest()

    def finish(self, manifest: Manifest) -> None:
        self._archive.writestr(MANIFEST, json.dumps(as_stored(manifest), indent=1, ensure_ascii=False))


class Sealed:
    """What is known of a file once it is written: its checksum."""

    digest = ""


@contextmanager
def new_archive(stream: BinaryIO) -> Iterator[tuple[ArchiveWriter, Sealed]]:
    """Write an archive to a stream, which need not be able to go back; the checksum is known at the end."""
    sealing, sealed = _Sealing(stream), Sealed()
    with ZipFile(sealing, "w", ZIP_DEFLATED, compresslevel=PACKED) as archive:  # type: ignore[call-overload]
        archive.comment = BLANK
        yield ArchiveWriter(archive), sealed
    sealed.digest = sealing.seal()


# --- Reading -----------------------------------------------------------------------------------------------------------


class ArchiveReader:
    def __init__(self, path: Path, archive: ZipFile, manifest: Manifest) -> None:
        self._path = path
        self._archive = archive
        self.manifest = manifest

    def lines(self, table: StoredTable) -> Generator[bytes]:
        """Yield the rows of a table as they were written. Raises BackupError if they are not those of the manifest."""
        digest, rows = sha256(), 0
        # Whoever takes the lines goes wrong outside of this function, and says so in own words.
        with _refusing_unreadable(self._path), self._archive.open(table.member) as member:
            for line in _lines(member):
                digest.update(line)
                rows += 1
                if rows > table.rows:
                    break
                yield line
        if (rows, digest.hexdigest()) != (table.rows, table.sha256):
            raise BackupError(f"{self._path} does not have the rows of {table.name} that it tells of.")


def _lines(member: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a member. Raises BadZipFile for one that no row can be, before all of it is unpacked."""
    held = b""
    while piece := member.read(AT_ONCE):
        *whole, held = (held + piece).split(b"\n")
        yield from (line + b"\n" for line in whole)
        if len(held) > MAX_LINE:
            raise BadZipFile
    if held:
        yield held


@contextmanager
def opened_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive, all of whose bytes are looked at first. Raises BackupError if it is damaged, foreign or newer."""
    with ExitStack() as opened:
        with _refusing_unreadable(path):
            check_seal(path)
            archive = opened.enter_context(ZipFile(path))
            manifest = _manifest(path, archive)
        yield ArchiveReader(path, archive, manifest)


NO_BACKUP = (BadZipFile, zlib.error, KeyError, EOFError, RuntimeError, ValueError, AttributeError)
"""What is raised for bytes that `ArchiveWriter` never wrote: no JSON, packed in another way, nested without end."""


@contextmanager
def _refusing_unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror or error}.") from error
    except NO_BACKUP as error:
        raise BackupError(f"{path} is no backup of Tenbo.") from error


def check_seal(path: Path) -> str:
    """Return the checksum of an archive. Raises BackupError unless every byte is as it was written."""
    left, digest = max(0, path.stat().st_size - SEAL_LENGTH), sha256()
    with path.open("rb") as stream:
        while piece := stream.read(min(left, AT_ONCE)):
            if not left:
                break
            digest.update(piece)
            left -= len(piece)
        stream.seek(-min(SEAL_LENGTH, path.stat().st_size), 2)
        if stream.read() != SEAL + digest.hexdigest().encode():
            raise BackupError(
                f"{path} is damaged, cut short or no backup of Tenbo: its checksum does not match. "
                "Fetch it again, or take another backup; nothing was changed."
            )
    return digest.hexdigest()


def _manifest(path: Path, archive: ZipFile) -> Manifest:
    with archive.open(MANIFEST) as member:
        content = member.read(MAX_MANIFEST + 1)
    if len(content) > MAX_MANIFEST:
        raise BadZipFile
    stored = json.loads(content)
    told = str(stored.get("format"))
    if told != FORMAT:
        if told.startswith(FAMILY):
            raise BackupError(
                f"{path} was made by a newer Tenbo ({stored.get('tenbo')}), in a format that this one does not know "
                f"({told}). Update Tenbo, then restore; nothing was changed."
            )
        raise BackupError(f"{path} is no backup of Tenbo.")
    try:
        return from_stored(Manifest, stored)
    except ValidationError as error:
        raise BackupError(f"{path} has no manifest that can be read.") from error
