"""Answers of the named queries, for tests."""

from pathlib import Path
from typing import Any

from pipelines import connect
from reports import functions
from reports.library import load_query


def answer(folder: Path, name: str, **variables: float) -> list[dict[str, Any]]:
    """Run a query; check that its header describes the columns it has."""
    connection = connect(str(folder))
    functions.register(connection)
    for variable, value in variables.items():
        connection.execute(f"SET VARIABLE {variable} = {value}")
    query = load_query(name)
    cursor = connection.execute(query.sql)
    assert [column[0] for column in cursor.description] == list(query.columns)
    return [dict(zip(query.columns, row, strict=True)) for row in cursor.fetchall()]
