"""Tables: what spreadsheets do to them is understood or refused, and nothing is guessed."""

import csv
import re

import pytest

from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.cli.cells import is_number, is_same, read_cells
from warpfront.cli.errors import TableError
from warpfront.cli.table import Row, read_table, write_table
from warpfront.errors import ConfigurationError

SPACE = Space(
    rate=Real(1e-5, 1.0, scale="log"),
    n=Integer(1, 9),
    kind=Categorical(["relu", "1-2", 32, [64, 32], None]),
    size=Ordinal(["s", "m"]),
    bias=Boolean(),
)
CONFIG = {"rate": 0.00123456789012, "n": 3, "kind": [64, 32], "size": "m", "bias": True}
HEADER = "trial,rate,n,kind,size,bias,loss"


@pytest.fixture
def read(tmp_path):
    def read(text, encoding="utf-8"):
        path = tmp_path / "t.csv"
        path.write_text(text, encoding=encoding)
        return read_table(path, SPACE, ["loss"])[0]

    return read


def test_what_is_written_is_read_as_pending(read):
    text = write_table(SPACE, ["loss"], {7: CONFIG})
    assert text == f'{HEADER}\n7,0.00123456789012,3,"[64, 32]",m,TRUE,\n'
    assert read(text) == []
    (row,) = read(text.replace("TRUE,", "TRUE,0.5"))
    assert (row.line, row.number, row.outcomes) == (2, 7, {"loss": 0.5})
    assert all(is_same(SPACE[name], CONFIG[name], row.cells[name]) for name in SPACE)
    assert read_cells(row.cells, SPACE) == CONFIG


@pytest.mark.parametrize(
    "text",
    [
        "\ufefftrial;rate;n;kind;size;bias;loss\r\n7.0;0.0012346;3.0;[64, 32];m;True;0.5\r\n",
        "loss\tnote\tbias\tsize\tkind\tn\trate\ttrial\n"
        "0.50\tgood\ttrue\tm\t[64, 32]\t3\t1.2346E-03\t7\n",
        f" {HEADER.replace(',', ' , ')}\n\n"
        '7 , 0.00123456789012, 3 ,"[64, 32]", m, TRUE, 5e-1\n,,,,,,\n',
    ],
    ids=["semicolons and a mark", "tabs, reordered and added columns", "blanks"],
)
def test_harmless_changes_of_a_spreadsheet_are_understood(read, text):
    (row,) = read(text)
    assert (row.number, row.outcomes) == (7, {"loss": 0.5})
    assert all(is_same(SPACE[name], CONFIG[name], row.cells[name]) for name in SPACE)


@pytest.mark.parametrize("word", ["failed", "FAILED", "nan", "NaN", "error"])
def test_a_failed_evaluation_has_no_value(read, word):
    (row,) = read(f"{HEADER}\n7,0.1,3,relu,m,TRUE,{word}\n")
    assert row == Row(2, 7, row.cells, {}, failed=True)


@pytest.mark.parametrize(
    ("name", "value", "text", "same"),
    [
        ("rate", 0.00123456789012, "0.00123", True),
        ("rate", 0.00123456789012, "0.0012", False),  # too few digits to be sure
        ("rate", 0.5, "0.5", True),
        ("rate", 0.5, "0.51", False),
        ("rate", 0.5, "0,5", False),
        ("rate", 0.5, "", False),
        ("n", 3, "3.0", True),
        ("n", 3, "4", False),
        ("n", 3, "3.5", False),
        ("kind", "1-2", "1-2", True),
        ("kind", "1-2", "02-Jan", False),
        ("kind", 32, "32.0", True),
        ("kind", [64, 32], "[64,32]", True),
        ("kind", None, "null", True),
        ("kind", "relu", "Relu", False),
        ("bias", True, "TRUE", True),
        ("bias", True, "1", True),
        ("bias", True, "FALSE", False),
    ],
)
def test_whether_a_cell_still_shows_a_value(name, value, text, same):
    assert is_same(SPACE[name], value, text) is same


ALIKE = ["a,b", "1", 1, True, "TRUE", [1, 2], "12", "[1, 2]", " b", "c ", "", None, "null"]


@pytest.mark.parametrize("choice", ALIKE, ids=repr)
@pytest.mark.parametrize("kind", [Categorical, Ordinal])
def test_an_unchanged_cell_is_unchanged_though_choices_are_written_alike(tmp_path, kind, choice):
    space = Space(kind=kind(ALIKE))
    path = tmp_path / "t.csv"
    path.write_text(write_table(space, ["loss"], {7: {"kind": choice}}).rstrip("\n") + "0.5\n")
    ((row,), _) = read_table(path, space, ["loss"])
    assert is_same(space["kind"], choice, row.cells["kind"])


def test_a_choice_with_blanks_at_its_ends_may_be_tried_without_a_suggestion():
    space = Space(kind=Categorical([" b", "c "]))
    for choice in (" b", "c "):
        assert read_cells({"kind": choice.strip()}, space) == {"kind": choice}


LINE = "7,0.1,3,relu,m,TRUE,"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            f"{HEADER}\n{LINE}abc",
            "row 2, column 'loss': 'abc' is not a number; write a number such",
        ),
        (
            f'{HEADER}\n{LINE}"0,5"',
            "row 2, column 'loss': '0,5' is not a number; write 0.5 with a po",
        ),
        (f"{HEADER}\n{LINE}0,5", "row 2 has 8 cells, the header 7; is there a comma in a number?"),
        (f"{HEADER}\n{LINE}05.01.2026", "'05.01.2026' is not a number"),
        (f"{HEADER}\n{LINE}1/5/26", "'1/5/26' is not a number"),
        (f"{HEADER}\n{LINE}12%", "'12%' is not a number"),
        (f"{HEADER}\n{LINE}1_000", "'1_000' is not a number"),
        (f"{HEADER}\n{LINE}inf", "'inf' is not a number"),
        (f"{HEADER}\nx{LINE}1", "row 2, column 'trial': 'x7' is not a trial; put the number back"),
        (f"{HEADER}\n{LINE}1\n{LINE}2", "trial 7 stands twice; remove one of the rows"),
        ("", "there is no column 'trial', the first row has nothing; put it back"),
        (
            f"{HEADER.replace('rate', 'r')}\n",
            "there is no column 'rate', the first row has 'trial'",
        ),
        (f"{HEADER},rate\n", "there are two columns 'rate'; remove one"),
        ("PK\x03\x04", "is a spreadsheet's own format; save it as CSV"),
    ],
)
def test_a_mistake_names_the_row_the_column_the_value_and_the_remedy(read, text, says):
    with pytest.raises(TableError, match=re.escape(says)) as caught:
        read(text)
    assert "t.csv: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'{HEADER}\n6,0.1,3,"relu,m,TRUE,1\n{LINE}2', "row 2 has further rows in a cell"),
        (
            f'{HEADER}\n{LINE}1\n8,0.1,3,"[64, 32],m,TRUE,\n9,0.1,3,"[64, 32]",m,TRUE,2',
            "row 3 has 8 cells, the header 7",
        ),
        (
            f'{HEADER}\n6,0.1,3,"relu,m,TRUE,1\n7,0.1,3,relu",m,TRUE,',
            "row 2 has further rows in a cell: close the quote",
        ),
        (f'{HEADER}\n6,0.1,3,"relu,m,TRUE,1\n{LINE}"', "row 2 has further rows in a cell"),
        (f'{HEADER}\n6,0.1,3,"relu,m,TRUE,1\n,0.1,3,relu,m,TRUE,2"', "row 2 has further rows"),
    ],
)
def test_what_hides_rows_is_a_mistake(read, text, says):
    with pytest.raises(TableError, match=re.escape(f"t.csv: {says}")):
        read(text)


@pytest.mark.parametrize(
    "more",
    [
        '\n"measured by Ann\nin May",,,,,,',
        '\n8,0.1,3,"relu" ,m,TRUE,2',
    ],
)
def test_what_spreadsheets_and_people_write_is_read(read, more):
    rows = read(f"{HEADER}\n{LINE}1{more}")
    assert [row.number for row in rows] == [7, 8][: 1 + more.startswith("\n8")]


def test_a_note_may_have_lines_though_empty_cells_after_it_are_left_out(read):
    (row,) = read(f'{HEADER},note,more\n{LINE}1,"hot,\ndry"')
    assert (row.number, row.outcomes) == (7, {"loss": 1.0})


def test_cells_at_the_end_may_be_left_out_and_notes_may_be_long(read, tmp_path):
    text = f'{HEADER},note\n{LINE}1,"hot, dry,\nloud, red, 7, a,\n\n b, c"\n8,0.1,3,relu,m,TRUE'
    (row,) = read(f"{text}\n9\nby Ann and Bob, in May\n")
    assert (row.number, row.outcomes) == (7, {"loss": 1.0})
    space = Space(kind=Categorical(["1,2\n3,4", ""]), note=Categorical(["", "x"]))
    path = tmp_path / "t.csv"
    path.write_text('trial,kind,loss,note\n7,"1,2\n3,4",0.5\n8')
    ((row,), _) = read_table(path, space, ["loss"])
    assert row == Row(2, 7, {"kind": "1,2\n3,4", "note": ""}, {"loss": 0.5})


def test_files_that_cannot_be_read(read, tmp_path):
    with pytest.raises(TableError, match="is not a CSV file in UTF-8"):
        read(f"{HEADER}\n7,0.1,3,é,m,TRUE,1", encoding="latin-1")
    with pytest.raises(
        TableError, match="there is no such file; `warpfront suggest --csv` writes one"
    ):
        read_table(tmp_path / "none.csv", SPACE, ["loss"])
    with pytest.raises(TableError, match="cannot be read"):
        read_table(tmp_path, SPACE, ["loss"])
    with pytest.raises(TableError, match=r"is not a CSV file \(field larger than"):
        read(f"{HEADER}\n7,0.1,3,{'m' * 200_000},m,TRUE,1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1,234", "write 1.234 with a point, or 1234 if the comma parts thousands$"),
        ("0,234", "write 0.234 with a point$"),
        ("12,34", "write 12.34 with a point$"),
    ],
)
def test_a_comma_in_a_result_may_be_meant_in_two_ways(read, text, says):
    with pytest.raises(TableError, match=says):
        read(f'{HEADER}\n7,0.1,3,a,m,TRUE,"{text}"')


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("rate", "0,5", "column 'rate': '0,5' is not a number; write 0.5 with a point"),
        ("rate", "2", "column 'rate': 2.0 is outside"),
        ("rate", "x", "column 'rate': 'x' is not a number"),
        ("n", "1.5", "column 'n': 1.5 is not a whole number"),
        ("kind", "02-Jan", "column 'kind': '02-Jan' is not among the choices"),
        ("bias", "maybe", "column 'bias': 'maybe' is not a boolean"),
    ],
)
def test_an_experiment_of_ones_own_must_be_in_the_space(name, text, says):
    cells = {"rate": "0.1", "n": "3", "kind": "relu", "size": "s", "bias": "false", name: text}
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        read_cells(cells, SPACE)


def test_a_parameter_may_be_called_trial():
    space = Space(trial=Integer(1, 3))
    assert write_table(space, ["loss"], {0: {"trial": 2}}) == "warpfront_trial,trial,loss\n0,2,\n"


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "'=1", "-5", "\tx", "relu"]


@pytest.mark.parametrize("choice", FORMULAS)
def test_no_cell_is_a_formula_and_all_are_read_back(tmp_path, choice):
    space = Space({"=x": Categorical(FORMULAS), "y": Real(-1, 1)})
    path = tmp_path / "t.csv"
    text = write_table(space, ["=loss"], {7: {"=x": choice, "y": -0.5}})
    assert text.startswith("trial,'=x,y,'=loss\n")
    path.write_text(text.rstrip("\n") + "-0.25\n")
    for cells in csv.reader(path.read_text().splitlines()):
        assert not any(re.match(r"[=@+\t-]", c) for c in cells if not is_number(c))
    ((row,), _) = read_table(path, space, ["=loss"])
    assert row.outcomes == {"=loss": -0.25}
    assert is_same(space["=x"], choice, row.cells["=x"])
    assert read_cells(row.cells, space) == {"=x": choice, "y": -0.5}


def test_all_complaints_about_a_file_are_told_at_once(read):
    lines = [f"{i},0.1,3,relu,m,TRUE,x{i}" for i in range(30)]
    with pytest.raises(TableError) as caught:
        read("\n".join([HEADER, *lines]))
    told = str(caught.value).split("\n")
    assert told[0].endswith("t.csv: 30 mistakes")
    assert told[1].startswith("  row 2, column 'loss': 'x0' is not a number")
    assert (len(told), told[-1]) == (22, "  and 10 more")
    with pytest.raises(
        TableError, match=r"2 mistakes\n  there is no column 'rate'.*\n  there is no"
    ):
        read("trial,n,kind,size,bias\n")


def test_a_row_may_wait_for_some_of_its_outcomes(tmp_path):
    space, path = Space(x=Real(0, 1)), tmp_path / "t.csv"
    path.write_text("trial,x,a,b\n1,0.5,1,\n2,0.5,,\n3,0.5,1,missing\n4,0.5,failed,\n5,0.5,1,2\n")
    rows, waiting = read_table(path, space, ["a", "b"])
    assert waiting == 1
    assert [(r.number, r.outcomes, r.failed) for r in rows] == [
        (3, {"a": 1.0, "b": None}, False),
        (4, {}, True),
        (5, {"a": 1.0, "b": 2.0}, False),
    ]
