import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.core.spreadsheets.columns import COLUMNS
from league.core.spreadsheets.tables import ImportFileError
from league.messages.imports import sentence
from league.models import ImportBatch, League
from league.services.imports.contents import FileContents, contents_of
from league.services.imports.people import NEW
from league.services.imports.reports import checked
from league.services.imports.steps import decide_names, match_names
from league.services.imports.values import ImportReport
from league.services.stored_json import as_stored, from_stored
from tests.budget import budget
from tests.league.imports.files import batch_of

pytestmark = pytest.mark.django_db

HEADERS = st.lists(
    st.one_of(
        st.sampled_from([name for column in COLUMNS for name in (column.ja, column.key)]),
        st.sampled_from(["選手1", "素点1", "選手2", "素点2", "player3", "raw3", "東家", "名前", ""]),
        st.text(max_size=4),
    ),
    min_size=1,
    max_size=12,
)
CELLS = st.one_of(
    st.sampled_from(["2025/11/21", "11月21日", "45982", "青木", "石田さん", "31700", "25000", "▲10", "317", "31.7"]),
    st.sampled_from(
        ["東", "1", "0", "", "合計", "win:E", "camarade v1", "第3節", "h1", "closed", "voided", "=1+1", "\x01"]
    ),
    st.text(max_size=6),
)
FILES = st.tuples(HEADERS, st.lists(st.lists(CELLS, max_size=12), max_size=8))


def answered(league: League, data: bytes) -> None:
    try:
        steps(batch_of(league, data))
    except ImportFileError as error:
        refusal = sentence(error.code, error.values)
    else:
        return
    assert refusal


def steps(batch: ImportBatch) -> None:
    look = contents_of(batch)
    told(look)
    if not look.problems:
        decide_names(batch, {}, unknown=NEW)
        assert all(match.how for match in match_names(batch))
    report = checked(batch)
    told(report)
    assert report.games == report.added + report.same + report.errors
    assert from_stored(ImportReport, as_stored(report)) == report


def told(found: FileContents | ImportReport) -> None:
    notes = [*found.problems, *found.notes]
    if isinstance(found, ImportReport):
        notes += [note for row in found.rows for note in row.notes]
    assert all(sentence(note.code, note.values) for note in notes)


@pytest.mark.long
@settings(max_examples=budget(80, least=20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES)
def test_any_table_is_answered(league: League, file: tuple[list[str], list[list[str]]]) -> None:
    header, rows = file
    text = "\n".join("\t".join(cell.replace("\t", " ") for cell in row) for row in [header, *rows])
    answered(league, text.encode("utf-8", "replace"))
