"""Who may write into a remote dataset."""

import json
import time
from typing import Any

import pytest
from command import mancalab, refused
from stores import MEMORY, in_memory  # noqa: F401

from pipelines import lease
from pipelines.dataset import Dataset
from pipelines.holding import holding, is_held
from pipelines.manifest import row_of
from pipelines.places import place
from pipelines.remote import Remote, StoreError, remote_at
from pipelines.shards import Shard, Span
from sim.errors import UserError

pytestmark = pytest.mark.usefixtures("in_memory")


def put(**changes: Any) -> None:
    """Put a lease of another machine's."""
    holder = {"host": "elsewhere", "pid": 1, "token": "t", "renewed": time.time()}
    remote_at(MEMORY).at(f"{MEMORY}/.lock").write_bytes(json.dumps(holder | changes).encode())


def test_one_at_a_time() -> None:
    with holding(place(MEMORY)) as check:
        check()
        assert is_held(place(MEMORY))
        with pytest.raises(UserError, match="another run is at work"), holding(place(MEMORY)):
            pass
    assert not is_held(place(MEMORY))
    assert not place(f"{MEMORY}/.lock").exists()


def test_another_machines_lease_holds_until_it_is_stale(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["run", "kalah", "--games", "20", "--out", MEMORY]
    put(renewed=time.time() - lease.STALE + 5)
    assert "another run is at work" in refused(mancalab(capsys, *command))
    put(renewed=time.time() - lease.STALE - 1)
    assert mancalab(capsys, *command)[0] == 0
    assert not place(f"{MEMORY}/.lock").exists()


@pytest.mark.parametrize("said", [b"", b"[]", b'{"pid": 1}', b"\xff"])
def test_what_is_no_lease_holds_nobody_off(said: bytes) -> None:
    remote_at(f"{MEMORY}/.lock").write_bytes(said)
    with holding(place(MEMORY)) as check:
        check()


def test_it_is_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWED", 0.01)
    path = place(f"{MEMORY}/.lock")
    with holding(place(MEMORY)) as check:
        before = json.loads(path.read_bytes())
        while json.loads(path.read_bytes()) == before:
            time.sleep(0.01)
        check()


def test_a_run_stops_where_another_took_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWED", 0.01)
    with holding(place(MEMORY)) as check:
        put()
        await_loss(check)
        dataset = Dataset(place(MEMORY), [])
        with pytest.raises(UserError, match="held no longer"), dataset.committing(check):
            dataset.commit(row_of(Shard(0, "moves", (Span("0" * 32, 0, 1),)), 1))
        assert not place(f"{MEMORY}/manifest.jsonl").exists()
    assert json.loads(place(f"{MEMORY}/.lock").read_bytes())["token"] == "t"  # it is the other's


def test_a_run_stops_where_the_store_was_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWED", 0.01)
    with holding(place(MEMORY)) as check, monkeypatch.context() as patch:
        patch.setattr(lease, "STALE", 0.1)
        patch.setattr(Remote, "read_bytes", failing)
        await_loss(check)


def failing(remote: Remote) -> bytes:
    raise StoreError(remote, OSError("away"))


def await_loss(check: Any) -> None:
    for _ in range(1000):
        try:
            check()
        except UserError as error:
            assert "held no longer" in str(error)  # noqa: PT017
            return
        time.sleep(0.01)
    pytest.fail("it is held still")
