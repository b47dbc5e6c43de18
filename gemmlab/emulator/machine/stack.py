"""Arrays that live as long as the call of a compiled function that asks for them: on its stack, so that the interpreter
needs no allocator. They hold what happens to be there."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


def _stack_array(element: types.Type, name: str):
    """An intrinsic: room(count), an array of that many elements."""
    array_type = types.Array(element, 1, "C")

    def typer(typingctx, count):
        def codegen(context, builder, signature, args):
            item = context.get_data_type(element)
            size = context.get_abi_sizeof(item)
            count = builder.zext(args[0], ir.IntType(64)) if args[0].type.width < 64 else args[0]
            array = context.make_array(array_type)(context, builder)
            populate_array(
                array,
                data=builder.alloca(item, count),
                shape=cgutils.pack_array(builder, [count]),
                strides=cgutils.pack_array(builder, [ir.Constant(ir.IntType(64), size)]),
                itemsize=ir.Constant(ir.IntType(64), size),
                meminfo=None,
            )
            return array._getvalue()

        return array_type(types.int64), codegen

    typer.__name__ = name
    return intrinsic(typer)


words = _stack_array(types.int64, "words")
floats = _stack_array(types.float64, "floats")
flags = _stack_array(types.boolean, "flags")
