"""Who is at work on a remote dataset: a lease, as a store knows no locks."""

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pipelines.remote import Remote, StoreError
from sim.errors import UserError

RENEWED, STALE = 10.0, 60.0
"""Seconds after which the holder of a lease renews it, and after which one that was not is void."""

NAME = ".lock"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@contextmanager
def leasing(folder: Remote) -> Iterator[Callable[[], None]]:
    """Keep others from writing into a remote folder, by a file that tells who is at work there.

    Yields what raises `UserError` once somebody else is. Raises it while another process is at
    work there, and where nothing can be put. Should two be all the same, nothing is lost: files
    are put whole, and have the name of what is in them.
    """
    path, token = folder / NAME, secrets.token_hex(8)
    try:
        taken = _take(path, token)
    except StoreError as error:
        raise UserError(f"{folder}: nothing can be put there: {error.reason}") from None
    if not taken:
        raise busy(folder)
    ended, lost = threading.Event(), threading.Event()

    def renew() -> None:
        renewed = time.monotonic()
        while not ended.wait(RENEWED):
            with suppress(StoreError):  # the store may answer again
                if _holder(path).get("token") != token:
                    break
                path.write_bytes(_text(token))
                renewed = time.monotonic()
            if time.monotonic() - renewed > STALE:
                break
        if not ended.is_set():
            lost.set()

    def check() -> None:
        if lost.is_set():
            raise UserError(
                f"{folder}: held no longer: the store was out of reach for a minute, or another run"
                " took over: what is finished is kept, and the same command goes on"
            )

    renewing = threading.Thread(target=renew, name="mancalab-lease", daemon=True)
    renewing.start()
    try:
        yield check
    finally:
        ended.set()
        renewing.join(STALE)
        with suppress(StoreError):
            if _holder(path).get("token") == token:
                path.unlink(missing_ok=True)


def is_leased(folder: Remote) -> bool:
    """Whether a process is at work on a remote dataset."""
    return _is_live(_holder(folder / NAME))


def busy(folder: object) -> UserError:
    """Return what to raise where another run is at work."""
    return UserError(
        f"{folder}: another run is at work there: wait for it, or choose another --out"
    )


def _take(path: Remote, token: str) -> bool:
    """Put the lease, one that is void out of the way; return whether it could be had."""
    if path.create(_text(token)):
        return True
    if _is_live(_holder(path)):
        return False
    path.unlink(missing_ok=True)
    return path.create(_text(token))


def _text(token: str) -> bytes:
    holder = {"host": _host(), "pid": os.getpid(), "token": token, "renewed": time.time()}
    return json.dumps(holder).encode()


def _holder(path: Remote) -> dict[str, Any]:
    """Return what a lease says, nothing where there is none or it is not one."""
    try:
        holder = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _is_live(holder: dict[str, Any]) -> bool:
    """Whether the holder of a lease may be at work: it renewed it lately, and has not died here."""
    renewed, pid = holder.get("renewed"), holder.get("pid")
    if not isinstance(renewed, float) or not isinstance(pid, int):
        return False
    if time.time() - renewed > STALE:
        return False
    return holder.get("host") != _host() or Path(f"/proc/{pid}").exists()


def _host() -> str:
    """Return a name of this machine since it started, one for each container on it."""
    boot = _BOOT.read_text("ascii").strip() if _BOOT.exists() else secrets.token_hex(8)
    return f"{socket.gethostname()} {boot}"
