"""SQL over datasets for people: a statement, a script, or a prompt."""

import contextlib
import itertools
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import duckdb

from pipelines.asking import VIEWS, ask
from pipelines.lacking import lacking
from pipelines.messages import tell
from pipelines.views import connect
from reports import functions
from reports.render import Row, write
from reports.tables import WIDTH
from sim.errors import UserError

PROMPT, CONTINUED = "mancalab> ", "     ...> "
HELP = """\
A statement ends with a semicolon and may go over several lines.
.tables   the views and their columns
.help     this
.quit     leave, as Ctrl-D does; Ctrl-C drops what was typed or stops what runs"""

ROWS_AT_ONCE = 1024
T = TypeVar("T")


class Shell:
    """Runs SQL over datasets and writes to stdout what it gives, in one of the formats.

    Raises `UserError` where a folder holds no dataset.
    """

    def __init__(self, folders: Sequence[str | Path], form: str) -> None:
        self._form = form
        self._folders = folders
        self._connection = connect(*folders)
        # An unknown table is an error, never some variable of this program.
        self._connection.execute("SET python_enable_replacements = false")
        functions.register(self._connection)

    def run(self, sql: str) -> None:
        """Run SQL; of several statements, write what the last one gives.

        Raises `UserError` with what DuckDB says against it.
        """
        for note in lacking(self._folders, sql):
            tell(note)
        first = self._ask(lambda: self._first_rows(sql))
        if first is None:
            return
        columns = [column[0] for column in self._connection.description]
        rows = itertools.chain(first, self._other_rows())
        write(columns, rows, self._form, sys.stdout, _width())

    def script(self, text: str) -> None:
        """Run statements one by one and write what each gives, up to the first wrong one."""
        for statement in self._ask(lambda: self._connection.extract_statements(text)):
            self.run(statement.query)

    def prompt(self) -> None:
        """Read statements from the terminal until Ctrl-D; an error does not end it."""
        with contextlib.suppress(ImportError):  # no line editing where the system has none
            import readline  # noqa: F401
        print(f"Views: {', '.join(VIEWS)}. `.help` helps, Ctrl-D leaves.")
        typed = ""
        while True:
            try:
                typed += input(CONTINUED if typed else PROMPT) + "\n"
                if typed.strip() in (".quit", ".exit", "quit", "exit"):
                    return
                if self._is_whole(typed):
                    whole, typed = typed, ""
                    self._answer(whole)
            except UserError as error:
                print(error)
            except KeyboardInterrupt:
                typed = ""
                print()
            except EOFError:
                print()
                return

    def _answer(self, typed: str) -> None:
        match typed.split():
            case []:
                pass
            case [".help"]:
                print(HELP)
            case [".tables"]:
                self._print_views()
            case [word, *_] if word.startswith("."):
                raise UserError(f"there is no {word}: `.help` lists what there is")
            case _:
                self.script(typed)

    def _print_views(self) -> None:
        for view in VIEWS:
            self._connection.execute(f"FROM {view} LIMIT 0")
            names = ", ".join(column[0] for column in self._connection.description)
            print(textwrap.fill(f"{view:<12}{names}", _width(), subsequent_indent=" " * 12))

    def _is_whole(self, typed: str) -> bool:
        """Whether nothing is to follow: a dot command, or SQL up to a semicolon of its own."""
        if not typed.strip() or typed.lstrip().startswith("."):
            return True
        if not typed.rstrip().endswith(";"):
            return False
        try:
            self._connection.extract_statements(typed)
        except duckdb.Error as error:
            return "unterminated" not in str(error)  # a semicolon within quotes or a comment
        return True

    def _ask(self, work: Callable[[], T]) -> T:
        return ask(self._connection, work, "SQL")

    def _first_rows(self, sql: str) -> list[Row] | None:
        """Run SQL; return its first rows, or `None` where it is nothing but comments.

        The rows are fetched before anything is written, since most errors show only then.
        """
        answer = self._connection.execute(sql)
        return None if answer is None else self._more_rows()

    def _more_rows(self) -> list[Row]:
        return [*self._connection.fetchmany(ROWS_AT_ONCE)]

    def _other_rows(self) -> Iterator[Row]:
        while rows := self._ask(self._more_rows):
            yield from rows


def _width() -> int:
    return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
