"""Several games in step: a value for each of `WIDTH` lanes, in the processor's wide registers.

Compiled code can use two types that Python does not have: *lanes*, `WIDTH` numbers of 64 bits
without a sign, and a *mask*, a truth value for each lane. Arithmetic, shifts and comparisons work
on them lane by lane, and a plain number stands for the same number in every lane. What the
processor has no instruction for, LLVM puts together from those that it has, so the results are the
same on all. What is larger is told as for numbers with a sign, for which there is an instruction:
so it holds for numbers below 2**63.
"""

import operator
from collections.abc import Callable
from typing import Any

import numba.extending
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import (
    lower_builtin,
    models,
    register_model,
    type_callable,
)

from sim.kernel.jit import chosen_by_type

WIDTH = 8
_WORD = ir.IntType(64)
_LANES = ir.VectorType(_WORD, WIDTH)
_INDEX = ir.IntType(32)

Lanes = Any
"""`WIDTH` numbers of 64 bits, or a `uint64` where the same source is compiled for one game."""
Mask = Any
"""`WIDTH` truth values, or a `bool`."""


class LanesType(types.Type):
    """Numba's name for lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


class MaskType(types.Type):
    """Numba's name for a mask."""

    def __init__(self) -> None:
        super().__init__(name="Mask")


LANES, MASK = LanesType(), MaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _LANES)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _LANES)  # all bits of a lane, or none


def _spread(builder: Any, value: Any, kind: Any) -> Any:
    """Return a value as lanes: a plain number is put into each."""
    if isinstance(kind, LanesType):
        return value
    if value.type != _WORD:
        value = builder.zext(value, _WORD)
    first = builder.insert_element(ir.Constant(_LANES, ir.Undefined), value, _INDEX(0))
    return _shuffled(builder, first, first, [0] * WIDTH)


def _shuffled(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    places = ir.Constant(ir.VectorType(_INDEX, len(order)), order)
    return builder.shuffle_vector(a, b, places)


def _holds(builder: Any, mask: Any) -> Any:
    """Return a mask as a vector of bits; the sign of a lane says enough."""
    return builder.icmp_signed("<", mask, ir.Constant(_LANES, [0] * WIDTH))


def _register(op: Callable[..., Any], result: Any, emit: Callable[..., Any]) -> None:
    """Give an operator on lanes (or lanes and a number) its result's type and instruction."""

    def type_of(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            kinds = (LanesType, types.Integer)
            if not (isinstance(a, kinds) and isinstance(b, kinds)):
                return None
            return result if LANES in (a, b) else None

        return typer

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [_spread(builder, v, k) for v, k in zip(args, signature.args, strict=True)]
        return emit(builder, *values)

    type_callable(op)(type_of)
    for kinds in ((LanesType, LanesType), (LanesType, types.Integer), (types.Integer, LanesType)):
        lower_builtin(op, *kinds)(lower)


def _register_logic(op: Callable[..., Any], emit: Callable[..., Any]) -> None:
    """Give an operator on two masks its instruction."""

    def type_of(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            return MASK if a == MASK and b == MASK else None

        return typer

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit(builder, *args)

    type_callable(op)(type_of)
    lower_builtin(op, MaskType, MaskType)(lower)


for _op, _name in {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.and_: "and_",
    operator.or_: "or_",
    operator.xor: "xor",
    operator.lshift: "shl",
    operator.rshift: "lshr",
}.items():
    for _each in (_op, getattr(operator, "i" + _op.__name__.strip("_"))):
        _register(_each, LANES, lambda b, x, y, name=_name: getattr(b, name)(x, y))
for _op, _sign in {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.ge: ">=",
    operator.gt: ">",
    operator.le: "<=",
}.items():
    # As numbers with a sign, for which processors have an instruction.
    _register(_op, MASK, lambda b, x, y, sign=_sign: b.sext(b.icmp_signed(sign, x, y), _LANES))
for _op, _name in {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor"}.items():
    for _each in (_op, getattr(operator, "i" + _op.__name__.strip("_"))):
        _register_logic(_each, lambda b, x, y, name=_name: getattr(b, name)(x, y))


def _register_not(op: Callable[..., Any], kind: Any) -> None:
    """Give the operator that turns all bits its instruction."""
    type_callable(op)(lambda context: lambda a: kind if a == kind else None)
    lower_builtin(op, type(kind))(lambda context, builder, signature, args: builder.not_(args[0]))


_register_not(operator.invert, LANES)
_register_not(operator.invert, MASK)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Let compiled code call a function that emits LLVM's code, without its first parameter."""
    return numba.extending.intrinsic(function)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _LANES.as_pointer())


@intrinsic
def load(typingctx: Any, array: Any, start: Any) -> Any:
    """Return lanes from `array[start : start + WIDTH]`, an array of `uint64`."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load(pointer, align=8)

    return LANES(array, start), emit


@intrinsic
def save(typingctx: Any, array: Any, start: Any, lanes: Any) -> Any:
    """Write lanes to `array[start : start + WIDTH]`, an array of `uint64`."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        value = _spread(builder, args[2], signature.args[2])
        builder.store(value, pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, start, lanes), emit


@intrinsic
def spread(typingctx: Any, number: Any) -> Any:
    """Return a plain number as lanes."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _spread(builder, args[0], signature.args[0])

    return LANES(number), emit


@intrinsic
def all_lanes(typingctx: Any) -> Any:
    """Return the mask that holds in every lane."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_LANES, [-1] * WIDTH)

    return MASK(), emit


def _lanes_of(builder: Any, lanes: Any) -> list[Any]:
    return [builder.extract_element(lanes, _INDEX(lane)) for lane in range(WIDTH)]


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


@intrinsic
def _gather(typingctx: Any, array: Any, index: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _data(context, builder, signature.args[0], args[0])
        kind = ir.VectorType(data.type.pointee, WIDTH)
        out = ir.Constant(kind, ir.Undefined)
        for lane, place in enumerate(_lanes_of(builder, args[1])):
            entry = builder.load(builder.gep(data, [place]))
            out = builder.insert_element(out, entry, _INDEX(lane))
        return builder.zext(out, _LANES) if kind != _LANES else out

    return LANES(array, index), emit


@intrinsic
def _gather_pairs(typingctx: Any, array: Any, index: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _data(context, builder, signature.args[0], args[0])
        pair = ir.VectorType(_WORD, 2)
        loaded = [
            builder.load(builder.bitcast(builder.gep(data, [place]), pair.as_pointer()), align=8)
            for place in _lanes_of(builder, args[1])
        ]
        while len(loaded) > 1:  # joined two by two: first all of a lane's pair, then the next one's
            size = 2 * loaded[0].type.count
            halves = zip(loaded[::2], loaded[1::2], strict=True)
            loaded = [_shuffled(builder, a, b, list(range(size))) for a, b in halves]
        evens = _shuffled(builder, loaded[0], loaded[0], list(range(0, 2 * WIDTH, 2)))
        odds = _shuffled(builder, loaded[0], loaded[0], list(range(1, 2 * WIDTH, 2)))
        return context.make_tuple(builder, signature.return_type, [evens, odds])

    return types.UniTuple(LANES, 2)(array, index), emit


@intrinsic
def scatter(typingctx: Any, array: Any, index: Any, lanes: Any) -> Any:
    """Write to the array's entry at an index, for each lane its own; what does not fit is cut."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _data(context, builder, signature.args[0], args[0])
        entries = args[2]
        if data.type.pointee != _WORD:
            entries = builder.trunc(entries, ir.VectorType(data.type.pointee, WIDTH))
        places = _lanes_of(builder, args[1])
        for place, entry in zip(places, _lanes_of(builder, entries), strict=True):
            builder.store(entry, builder.gep(data, [place]))
        return context.get_dummy_value()

    return types.void(array, index, lanes), emit


@intrinsic
def _select(typingctx: Any, mask: Any, a: Any, b: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [_spread(builder, v, k) for v, k in zip(args[1:], signature.args[1:], strict=True)]
        return builder.select(_holds(builder, args[0]), *values)

    return LANES(mask, a, b), emit


@intrinsic
def bits(typingctx: Any, mask: Any) -> Any:
    """Return a mask as the low bits of a `uint64`: lane i is bit i."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = _holds(builder, args[0])
        return builder.zext(builder.bitcast(held, ir.IntType(WIDTH)), _WORD)

    return types.uint64(mask), emit


@intrinsic
def lowest(typingctx: Any, word: Any) -> Any:
    """Return the place of the lowest set bit of a `uint64` that is not 0."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), emit


@intrinsic
def highest(typingctx: Any, word: Any) -> Any:
    """Return the place of the highest set bit of a `uint64` that is not 0."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.sub(_WORD(63), builder.ctlz(args[0], ir.IntType(1)(1)))

    return types.uint64(types.uint64), emit


def where(condition: Mask, a: Lanes, b: Lanes) -> Lanes:
    """Return a where a condition holds, else b, without a branch."""
    raise NotImplementedError


@chosen_by_type(where)
def _where(condition: Any, a: Any, b: Any) -> Any:
    def one(condition: Any, a: Any, b: Any) -> Any:
        return a if condition else b

    def several(condition: Any, a: Any, b: Any) -> Any:
        return _select(condition, a, b)

    return several if condition == MASK else one


def at(array: Any, index: Lanes) -> Lanes:
    """Return the array's entry at an index, for each lane its own."""
    raise NotImplementedError


@chosen_by_type(at)
def _at(array: Any, index: Any) -> Any:
    def one(array: Any, index: Any) -> Any:
        return np.uint64(array[index])

    def several(array: Any, index: Any) -> Any:
        return _gather(array, index)

    return several if index == LANES else one


def pair_at(array: Any, index: Lanes) -> tuple[Lanes, Lanes]:
    """Return the array's entry at an index and the next one, for each lane its own."""
    raise NotImplementedError


@chosen_by_type(pair_at)
def _pair_at(array: Any, index: Any) -> Any:
    def one(array: Any, index: Any) -> Any:
        return array[index], array[index + np.uint64(1)]

    def several(array: Any, index: Any) -> Any:
        return _gather_pairs(array, index)

    return several if index == LANES else one
