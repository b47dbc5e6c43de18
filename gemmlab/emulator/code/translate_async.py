"""Asynchronous copies, and the barrier objects that can wait for them -> rows of code."""

from __future__ import annotations

from gemmlab.emulator.code.translate_base import Register, Unsupported, translates
from gemmlab.emulator.code.translate_memory import CACHE_WORDS, NEAR, SPACES, Memory
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.ptx.parser import parse_number


class Asynchronous(Memory):
    # ---- asynchronous copies

    @translates("cp")
    def cp(self) -> None:
        self.need("async")
        what = self.take(("commit_group", "wait_group", "wait_all", "ca", "cg", "mbarrier", "bulk"))
        if what == "mbarrier":
            self._await_copies()
        elif what == "bulk":
            self._bulk_copy()
        elif what in ("ca", "cg"):
            self._async_copy(what)
        elif what == "commit_group":
            self.emit(o.ASYNC_COMMIT)
        elif what == "wait_all":
            self.emit(o.ASYNC_WAIT, IMM=-1)
        else:
            allowed = parse_number(self.operands[0])
            if allowed is None or not 0 <= allowed < NEAR:
                raise Unsupported("")
            self.emit(o.ASYNC_WAIT, IMM=allowed)
        self.no_more_words()

    def _async_copy(self, level: str) -> None:
        self.take(("shared", "shared::cta"))
        self.need("global")
        hinted = self.takes("L2::cache_hint")
        self.ignore(CACHE_WORDS)
        target, offset = self.address(self.operands[0])
        source, source_offset = self.address(self.operands[1])
        size = parse_number(self.operands[2])
        if size not in (4, 8, 16) or (level == "cg" and size != 16):
            raise Unsupported("a copy of another size")
        more = self.operands[3:-1] if hinted else self.operands[3:]
        self.emit(
            o.ASYNC_COPY,
            a=target,
            b=self.checked(source, "w"),
            c=self._bytes_to_read(more, size),
            IMM=offset,
            AUX=source_offset,
            SIZE=size,
            SPACE=o.SHARED,
            FLAGS=o.ADDRESS_64 if target[0] == "w" else 0,
            SITE=self.builder.site(2),
        )

    def _await_copies(self) -> None:
        """cp.async.mbarrier.arrive{.noinc}.shared.b64 [object]: it waits for the copies that this thread has begun."""
        self.need("arrive", "b64")
        counted = self.takes("noinc")
        self.emit_object(o.OBJECT_COPIES, self.operands[0], AUX2=o.COUNTED_ANYWAY if counted else 0)

    def _bulk_copy(self) -> None:
        """cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], size, [object];"""
        self.take(("shared::cluster", "shared::cta"))
        self.need("global", "mbarrier::complete_tx::bytes")
        self.ignore(("L2::cache_hint",))
        target, offset = self.address(self.operands[0])
        source, source_offset = self.address(self.operands[1])
        place, place_offset = self.address(self.operands[3])
        self.emit(
            o.BULK_COPY,
            a=target,
            b=self.checked(source, "w"),
            c=self.source(self.operands[2]),
            IMM=offset,
            AUX=source_offset,
            AUX2=place_offset,
            SPACE=o.SHARED,
            FLAGS=o.ADDRESS_64 if target[0] == "w" else 0,
            VECTOR=self.builder.vector([place]),
            SITE=self.builder.site(),
        )

    # ---- barrier objects

    def emit_object(
        self,
        form: int,
        address: str,
        d: Register | None = None,
        b: Register | None = None,
        c: Register | None = None,
        AUX2: int = 0,
    ) -> None:
        space = self.space()
        self.ignore(SPACES)
        self.no_more_words()
        fields = self.access_fields(*self.address(address), space, "b64")
        self.emit(o.OBJECT, d=d, b=b, c=c, AUX=form, AUX2=AUX2, **fields)

    @translates("mbarrier")
    def mbarrier(self) -> None:
        """mbarrier.FORM{.sem}{.scope}{.shared}.b64; what the object is for stands in sync/objects.py."""
        forms = ("init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait", "expect_tx", "complete_tx")
        form = self.take((*forms, "pending_count"))
        self.need("b64")
        self.ignore(CACHE_WORDS)
        self.ignore(("cluster",))
        if form == "pending_count":
            token = self.source(self.operands[1], "w")
            low = self.computed("and.u64", token, self.constant((1 << o.TOKEN_BITS) - 1, "w"))
            self.simple("cvt.u32", self.target(self.operands[0]), low)
        elif form.startswith("arrive"):
            self._arrive(o.DROPS_OUT if form == "arrive_drop" else 0)
        elif form.endswith("wait"):
            self._wait()
        else:
            forms_of = {
                "init": o.OBJECT_INIT,
                "inval": o.OBJECT_INVAL,
                "expect_tx": o.OBJECT_EXPECT,
                "complete_tx": o.OBJECT_COMPLETE,
            }
            number = self.source(self.operands[1]) if form != "inval" else None
            self.emit_object(forms_of[form], self.operands[0], b=number)

    def _arrive(self, how: int) -> None:
        how |= o.EXPECTS_BYTES if self.takes("expect_tx") else 0
        self.ignore(("noComplete",))
        has_token = not self.operands[0].startswith("[")
        token = self.target(self.operands[0], "w") if has_token else self.new("w")
        address, *count = self.operands[int(has_token) :]
        number = self.source(count[0]) if count else self.constant(1)
        self.emit_object(o.OBJECT_ARRIVE, address, d=token, b=number, AUX2=how)

    def _wait(self) -> None:
        """A wait that gives up is asked again by the loop around it, so that it need not wait here at all."""
        target, address, token = self.target(self.operands[0], "p"), self.operands[1], self.operands[2]
        if self.takes("parity"):
            self.emit_object(o.OBJECT_WAIT_PARITY, address, d=target, b=self.source(token))
        else:
            self.emit_object(o.OBJECT_WAIT, address, d=target, c=self.source(token, "w"))

    def _bytes_to_read(self, operands: list[str], size: int) -> Register:
        """How many bytes come from global memory, the rest being zeros: a number, or none where a predicate holds."""
        if not operands:
            return self.constant(size)
        (text,) = operands
        register = self.builder.operand(self.function, text.lstrip("!"), "r")
        if register[0] != "p":
            return self.checked(register, "r")
        return self.computed("selp.u32", self.constant(0), self.constant(size), self.predicate(text))
