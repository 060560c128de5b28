"""Arrow's types as DuckDB names them."""

from typing import Any

import pyarrow as pa

_PLAIN = {
    pa.int8(): "TINYINT", pa.int16(): "SMALLINT", pa.int32(): "INTEGER", pa.int64(): "BIGINT",
    pa.uint8(): "UTINYINT", pa.uint64(): "UBIGINT", pa.bool_(): "BOOLEAN", pa.string(): "VARCHAR",
    pa.binary(): "BLOB", pa.float32(): "FLOAT", pa.float64(): "DOUBLE",
}  # fmt: skip


def sql_type(kind: Any) -> str:
    """Return the type of a column as DuckDB reads it from Parquet or takes it from Arrow.

    >>> sql_type(pa.list_(pa.struct([("pit", pa.uint8()), ("name", pa.string())])))
    'STRUCT(pit UTINYINT, name VARCHAR)[]'
    """
    if pa.types.is_dictionary(kind):
        return sql_type(kind.value_type)
    if pa.types.is_list(kind):
        return f"{sql_type(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        return f"STRUCT({', '.join(f'{field.name} {sql_type(field.type)}' for field in kind)})"
    return _PLAIN[kind]
