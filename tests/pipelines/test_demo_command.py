"""`mancalab demo`: the first look, which leaves a dataset to go on with."""

import re
import tempfile
from pathlib import Path

import pytest
from command import mancalab

from pipelines.executors import Threads
from pipelines.verify import verify
from sim.presets import preset_names


def test_demo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code, out, told = mancalab(capsys, "demo")
    assert code == 0
    assert told.startswith("mancalab: playing ")
    advantage, lengths = out.split("First-player advantage\n")[1].split("Game length\n")
    for name in set(preset_names()) - {"dakon"}:  # a match apart, dakon is congkak
        assert f"\n{name} " in advantage or f"\n{name}\n" in advantage
        assert f"\n{name} " in lengths or f"\n{name}\n" in lengths
    folder = re.search(r"The games are in (\S+)\.", out)
    assert folder is not None
    assert verify(Path(folder[1]), Threads(2)).faults == []
