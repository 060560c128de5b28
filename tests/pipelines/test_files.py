"""Where results are written: files whole or not at all, devices and open files in place."""

import os
import threading
from pathlib import Path

import pytest

from pipelines.files import write_result


def test_a_file_is_replaced_and_a_link_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old", encoding="utf-8")
    link.symlink_to("real")
    write_result(link, "neu ñ\n")
    assert real.read_text(encoding="utf-8") == "neu ñ\n"
    assert link.is_symlink()
    dangling = tmp_path / "dangling"
    dangling.symlink_to("made")
    write_result(dangling, "made\n")
    assert (tmp_path / "made").read_text(encoding="utf-8") == "made\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "link", "made", "real"]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_result(pipe, "text\n")
    reader.join()
    assert read == ["text\n"]
    assert pipe.is_fifo()


def test_a_device_stays_one_and_is_named_when_it_is_full(tmp_path: Path) -> None:
    write_result(Path("/dev/null"), "text\n")
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_result(tmp_path / "full", "text\n")
    assert caught.value.filename == str(tmp_path / "full")
    assert Path("/dev/full").is_char_device()
    assert (tmp_path / "full").is_symlink()


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_an_open_file_goes_on_where_it_is(tmp_path: Path, folder: str) -> None:
    with (tmp_path / "file").open("w", encoding="utf-8") as file:
        file.write("before\n")
        file.flush()
        write_result(Path(folder, str(file.fileno())), "result\n")
        file.write("after\n")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "before\nresult\nafter\n"
