"""Where files are: on this machine, or in a remote store such as S3."""

import re
from pathlib import Path
from typing import IO, TypeGuard, cast

from pipelines.remote import Remote, StoreError, remote_at
from sim.errors import UserError, brief

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)


def place(text: str | Path) -> Path:
    """Return the file or folder that a text names: a path, or a URL such as `s3://bucket/folder`.

    A remote one is a `Remote`, which has of a path what the project uses and so passes for one.
    Raises `UserError` for a URL that names no store, or one whose library is not installed.

    >>> place("runs/kalah"), place("file:///tmp/kalah")
    (PosixPath('runs/kalah'), PosixPath('/tmp/kalah'))
    """
    match = _URL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return cast("Path", text) if is_remote(text) else Path(text)
    scheme, rest = match[1].lower(), match[2].strip("/")
    if scheme == "file":
        return Path(f"/{rest}")
    if not rest:
        raise UserError(f"{brief(match[0])}: names no bucket: give {scheme}://BUCKET/FOLDER")
    return cast("Path", remote_at(f"{scheme}://{rest}"))


def check_reach(path: Path) -> None:
    """Raise `UserError` where a remote place cannot be asked for, as there is no such bucket."""
    if is_remote(path):
        try:
            path.entries()
        except StoreError as error:
            raise UserError(
                f"{path}: out of reach: {error.reason}: see to the bucket's name, the endpoint and"
                " the credentials"
            ) from None


def is_remote(path: object) -> "TypeGuard[Remote]":
    """Whether a place lies in a remote store."""
    return isinstance(path, Remote)


def source(path: Path) -> Path | IO[bytes]:
    """Return what pyarrow reads a file from: by its path, or of a remote one only what it needs."""
    return cast("IO[bytes]", path.ranges()) if is_remote(path) else path
