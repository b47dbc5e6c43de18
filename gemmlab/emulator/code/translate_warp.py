"""Barriers and the instructions in which the lanes of a warp exchange values -> rows of code."""

from __future__ import annotations

from gemmlab.emulator.code.translate_base import Base, Unsupported, kind_of_type
from gemmlab.emulator.machine import opcodes as o


class Warp(Base):
    def bar(self) -> None:
        if self.words[1:] in (["warp", "sync"], ["sync", "warp"]):
            self.emit(o.WARP_SYNC, a=self.source(self.operands[0]))
            return
        form, *result = [word for word in self.words[1:] if word not in ("cta", "aligned")]
        if form == "red" and len(result) == 2:
            self._barrier_reduction(result[0])
        elif form in ("sync", "arrive") and not result:
            identifier, *count = self.sources(self.operands)
            count = count[0] if count else self.constant(0)
            self.emit(o.BARRIER, a=identifier, b=count, AUX=o.BARRIER_FORMS.index(form))
        else:
            raise Unsupported("")

    def _barrier_reduction(self, form: str) -> None:
        """bar.red.popc.u32 d, id, p  and  bar.red.and.pred p, id, q."""
        if form not in ("popc", "and", "or"):
            raise Unsupported("")
        target, identifier, *count, vote = self.operands
        self.emit(
            o.BARRIER,
            d=self.target(target, "r" if form == "popc" else "p"),
            a=self.source(identifier),
            b=self.source(count[0]) if count else self.constant(0),
            c=self.predicate(vote),
            AUX=o.BARRIER_FORMS.index(form),
        )

    def _check_sync(self) -> None:
        if self.words[1] != "sync" and self.words[2:3] != ["sync"]:
            raise Unsupported("the form without .sync")

    def shfl(self) -> None:
        self._check_sync()
        target, valid = self.pair_of_targets(self.operands[0], "rp")
        a, b, c, mask = self.sources(self.operands[1:])
        extra = self.decoder.vector([c, mask, valid or self.new("p")])
        self.emit(o.SHUFFLE, d=target or self.new("r"), a=a, b=b, AUX=o.SHUFFLES.index(self.words[2]), VECTOR=extra)

    def vote(self) -> None:
        self._check_sync()
        mode = self.words[2]
        target, mask = self.operands[0], self.source(self.operands[2])
        register = self.target(target, "r" if mode == "ballot" else "p")
        self.emit(o.VOTE, d=register, a=self.predicate(self.operands[1]), b=mask, AUX=o.VOTES.index(mode))

    def match(self) -> None:
        self._check_sync()
        if self.words[1] not in ("any", "all"):
            raise Unsupported("")
        target, valid = self.pair_of_targets(self.operands[0], "rp")
        self.emit(
            o.MATCH,
            d=target or self.new("r"),
            a=self.source(self.operands[1], kind_of_type(self.words[-1])),
            b=self.source(self.operands[2]),
            AUX=int(self.words[1] == "all"),
            VECTOR=self.decoder.vector([valid or self.new("p")]),
        )

    def activemask(self) -> None:
        self.emit(o.ACTIVE_MASK, d=self.target(self.operands[0]))

    def redux(self) -> None:
        operation, element = self.words[2], self.words[-1]
        if operation not in o.REDUCTIONS or element not in ("u32", "s32", "b32"):
            raise Unsupported("")
        d, a, mask = self.operands
        target, (value, mask) = self.target(d), self.sources((a, mask))
        self.emit(o.REDUCE, d=target, a=value, b=mask, AUX=o.REDUCTIONS.index(operation), SIGNED=int(element == "s32"))

    def elect(self) -> None:
        target, chosen = self.pair_of_targets(self.operands[0], "rp")
        extra = self.decoder.vector([chosen or self.new("p")])
        self.emit(o.ELECT, d=target or self.new("r"), b=self.source(self.operands[1]), VECTOR=extra)
