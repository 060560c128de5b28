"""Values as DuckDB hands them out, as JSON's, as CSV's and as text for people."""

import datetime
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def to_json(value: Any) -> Any:
    """Return a value as JSON has it: numbers whole, lists and structs kept, no NaN.

    NaN and the infinities become null; a decimal that no double equals, dates, blobs and the
    like become text.

    >>> to_json([2**70, float("inf"), Decimal("0.5"), {"a": b"k"}])
    [1180591620717411303424, None, 0.5, {'a': '6b'}]
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            near = float(value)
            return near if Decimal(repr(near)) == value else str(value)
        case list() | tuple():
            return [to_json(entry) for entry in value]
        case Mapping():
            return {str(key): to_json(entry) for key, entry in value.items()}
        case bytes():
            return value.hex()
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return str(value)


def to_csv(value: Any) -> Any:
    """Return a value as a CSV field: exact, lists and structs as JSON, null as nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | Decimal):
        return str(value)
    plain = to_json(value)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, list | dict) else plain


def to_text(value: Any) -> str:
    """Return a value for a table, floats to six digits.

    >>> to_text(0.123456789), to_text([1, 2]), to_text(None)
    ('0.123457', '[1, 2]', '')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    field = to_csv(value)
    return "" if field is None else " ".join(str(field).split())


def is_number(value: Any) -> bool:
    """Whether a value is read by its digits, and so aligned to the right."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
