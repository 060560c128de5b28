"""The named queries: one `.sql` file each, explained in its header comment."""

from dataclasses import dataclass
from importlib import resources

from sim.errors import UserError, did_you_mean


@dataclass(frozen=True)
class Query:
    """A query file: the question it answers, what each column means, and its whole text."""

    name: str
    question: str
    columns: dict[str, str]
    sql: str


def query_names() -> list[str]:
    """Return the names of the queries, sorted."""
    folder = resources.files("reports") / "queries"
    return sorted(file.name[:-4] for file in folder.iterdir() if file.name.endswith(".sql"))


def load_query(name: str) -> Query:
    """Load a query. Raises `UserError` for an unknown name.

    >>> load_query("lengths").columns["most"]
    'of the longest game'
    """
    names = query_names()
    if name not in names:
        raise UserError(
            f"there is no query '{name}'{did_you_mean(name, names)}; give one of "
            + ", ".join(names)
        )
    sql = (resources.files("reports") / "queries" / f"{name}.sql").read_text("utf-8")
    return parse_query(name, sql)


def parse_query(name: str, sql: str) -> Query:
    """Read a query's header: comment lines, the question first, the columns as `name: meaning`.

    >>> parse_query("few", "-- How few?\\n--\\n-- n: games\\nSELECT 1 AS n").columns
    {'n': 'games'}
    """
    header = []
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        header.append(line.removeprefix("--").strip())
    question, *paragraphs = "\n".join(header).split("\n\n")
    columns = [line.partition(": ") for line in paragraphs[-1].splitlines()]
    return Query(name, " ".join(question.split()), {name: text for name, _, text in columns}, sql)
