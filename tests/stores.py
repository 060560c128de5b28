"""Remote stores for tests: this process's memory, and a server of S3 that runs beside it."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
import pytest

BUCKET = "games"


MEMORY = "memory://games/d"


@pytest.fixture
def in_memory() -> Iterator[None]:
    """Leave nothing in memory."""
    yield
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]


@contextmanager
def serving(log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a server with a bucket, to which the environment leads all that speaks S3."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with pytest.MonkeyPatch.context() as patch, log.open("wb") as said:
        for name, value in {
            "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_MAX_ATTEMPTS": "2",
        }.items():  # fmt: skip
            patch.setenv(name, value)
        forget = fsspec.get_filesystem_class("s3").clear_instance_cache
        with subprocess.Popen(command, stdout=said, stderr=said) as process:
            try:
                _await(url)
                bucket = urllib.request.Request(f"{url}/{BUCKET}", method="PUT")
                urllib.request.urlopen(bucket).close()
                forget()  # what knows another server
                yield process
            finally:
                process.kill()
                forget()


def _await(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(url)
