"""Barriers and the instructions in which the lanes of a warp exchange values -> rows of code."""

from __future__ import annotations

from gemmlab.emulator.code.translate_base import Base, Unsupported, kind_of_type, translates
from gemmlab.emulator.machine import opcodes as o


class Warp(Base):
    @translates("bar", "barrier")
    def bar(self) -> None:
        if self.takes("warp"):
            self.need("sync")
            self.no_more_words()
            self.emit(o.WARP_SYNC, a=self.source(self.operands[0]))
            return
        self.ignore(("cta", "aligned"))
        form = self.take(("sync", "arrive", "red"))
        if form == "red":
            self._barrier_reduction(self.take(("popc", "and", "or")))
            return
        self.no_more_words()
        identifier, *given = self.sources(self.operands)
        count = given[0] if given else self.constant(0)
        self.emit(o.BARRIER, a=identifier, b=count, AUX=o.BARRIER_FORMS.index(form), AUX2=len(given))

    def _barrier_reduction(self, form: str) -> None:
        """bar.red.popc.u32 d, id, p  and  bar.red.and.pred p, id, q."""
        target, identifier, *count, vote = self.operands
        self.emit(
            o.BARRIER,
            d=self.target(target, "r" if form == "popc" else "p"),
            a=self.source(identifier),
            b=self.source(count[0]) if count else self.constant(0),
            c=self.predicate(vote),
            AUX=o.BARRIER_FORMS.index(form),
            AUX2=len(count),
        )

    def _check_sync(self) -> None:
        if not self.takes("sync"):
            raise Unsupported("the form without .sync")

    @translates("shfl")
    def shfl(self) -> None:
        self._check_sync()
        mode = self.take(o.SHUFFLES)
        target, valid = self.pair_of_targets(self.operands[0], "rp")
        a, b, c, mask = self.sources(self.operands[1:])
        extra = self.builder.vector([c, mask, valid or self.new("p")])
        self.emit(o.SHUFFLE, d=target or self.new("r"), a=a, b=b, AUX=o.SHUFFLES.index(mode), VECTOR=extra)

    @translates("vote")
    def vote(self) -> None:
        self._check_sync()
        mode = self.take(o.VOTES)
        target, mask = self.operands[0], self.source(self.operands[2])
        register = self.target(target, "r" if mode == "ballot" else "p")
        self.emit(o.VOTE, d=register, a=self.predicate(self.operands[1]), b=mask, AUX=o.VOTES.index(mode))

    @translates("match")
    def match(self) -> None:
        self._check_sync()
        which, element = self.take(("any", "all")), self.take(("b32", "b64"))
        target, valid = self.pair_of_targets(self.operands[0], "rp")
        self.emit(
            o.MATCH,
            d=target or self.new("r"),
            a=self.source(self.operands[1], kind_of_type(element)),
            b=self.source(self.operands[2]),
            AUX=int(which == "all"),
            VECTOR=self.builder.vector([valid or self.new("p")]),
        )

    @translates("activemask")
    def activemask(self) -> None:
        self.emit(o.ACTIVE_MASK, d=self.target(self.operands[0]))

    @translates("redux")
    def redux(self) -> None:
        self._check_sync()
        operation, element = self.take(o.REDUCTIONS), self.take(("u32", "s32", "b32"))
        self.no_more_words()
        d, a, mask = self.operands
        target, (value, lanes) = self.target(d), self.sources((a, mask))
        self.emit(o.REDUCE, d=target, a=value, b=lanes, AUX=o.REDUCTIONS.index(operation), SIGNED=int(element == "s32"))

    @translates("elect")
    def elect(self) -> None:
        target, chosen = self.pair_of_targets(self.operands[0], "rp")
        extra = self.builder.vector([chosen or self.new("p")])
        self.emit(o.ELECT, d=target or self.new("r"), b=self.source(self.operands[1]), VECTOR=extra)
