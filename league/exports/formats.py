"""The formats that a table can be had in."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

BYTE_ORDER_MARK = "\ufeff"
"""Tells Excel which Unicode a text is written in."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One way to write a file. A workbook has neither encoding nor delimiter."""

    code: str
    label: str | Promise
    extension: str
    media_type: str
    encoding: str = ""
    delimiter: str = ""
    mark: str = ""

    @property
    def is_workbook(self) -> bool:
        return not self.encoding

    @property
    def holds_every_letter(self) -> bool:
        return self.encoding != "cp932"


_CSV, _TSV = "text/csv; charset={}", "text/tab-separated-values; charset={}"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

CSV = FileFormat("csv", _("CSV for Excel (UTF-8)"), "csv", _CSV.format("utf-8"), "utf-8", ",", BYTE_ORDER_MARK)
XLSX = FileFormat("xlsx", _("Excel workbook (XLSX)"), "xlsx", _XLSX)

FORMATS = {
    each.code: each
    for each in (
        CSV,
        XLSX,
        FileFormat("csv-plain", _("CSV without a byte order mark (UTF-8)"), "csv", _CSV.format("utf-8"), "utf-8", ","),
        FileFormat("csv-cp932", _("CSV for old programs (Shift_JIS)"), "csv", _CSV.format("windows-31j"), "cp932", ","),
        FileFormat("tsv", _("TSV (UTF-8)"), "tsv", _TSV.format("utf-8"), "utf-8", "\t", BYTE_ORDER_MARK),
        FileFormat(
            "tsv-utf16", _("Unicode text of Excel (UTF-16)"), "txt", "text/plain; charset=utf-16", "utf-16-le", "\t",
            BYTE_ORDER_MARK,
        ),
    )
}  # fmt: skip
