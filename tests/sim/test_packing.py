"""Logged moves: what is packed is unpacked, and hexadecimal shows the pits."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.packing import pack, unpack

GAMES = st.lists(st.lists(st.integers(0, 11), max_size=9), max_size=9)


@given(GAMES)
def test_what_is_packed_is_unpacked(games: list[list[int]]) -> None:
    moves = np.array([pit for game in games for pit in game], np.uint8)
    offsets = np.cumsum([0, *map(len, games)])
    packed, packed_offsets = pack(moves, offsets)
    again, again_offsets = unpack(packed, packed_offsets)
    assert again.tolist() == moves.tolist()
    assert again_offsets.tolist() == offsets.tolist()


@given(GAMES)
def test_each_game_reads_in_hexadecimal(games: list[list[int]]) -> None:
    moves = np.array([pit for game in games for pit in game], np.uint8)
    packed, offsets = pack(moves, np.cumsum([0, *map(len, games)]))
    texts = [packed[start:stop].tobytes().hex() for start, stop in pairwise(offsets)]
    digits = ["".join(f"{pit:x}" for pit in game) for game in games]
    assert texts == [text + "f" * (len(text) % 2) for text in digits]


@given(st.lists(st.binary(max_size=6), max_size=6))
def test_any_bytes_are_moves_of_some_kind(games: list[bytes]) -> None:
    packed = np.frombuffer(b"".join(games), np.uint8)
    moves, offsets = unpack(packed, np.cumsum([0, *map(len, games)], dtype=np.int32))
    assert len(moves) == offsets[-1]
    assert [
        int(n) in (2 * len(game), 2 * len(game) - 1)
        for n, game in zip(np.diff(offsets), games, strict=True)
    ] == [True] * len(games)
