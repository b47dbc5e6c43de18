"""The kernels of a source, and whether one has the signature of the course: six arguments, A, B, C and M, N, K."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gemmlab.cuda import sentences as say
from gemmlab.cuda.preprocess import preprocess
from gemmlab.cuda.tree import (
    bytes_of,
    function_declarator,
    function_head,
    is_text,
    outer_declarations,
    parse,
    part,
    text_of,
    walk,
)
from gemmlab.kernel.arguments import AskedLaunch, Parameter
from gemmlab.kernel.elements import FLOAT32, Element
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.plan import OnDevices
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    from tree_sitter import Node

_RESULT, _SIZE = ("float*",), ("int", "unsigned int")
_SAME_TYPE = {
    **{name: "int" for name in ("signed", "signed int", "int signed", "int32_t", "std::int32_t")},
    **{name: "unsigned int" for name in ("unsigned", "uint", "uint32_t", "std::uint32_t")},
    "half": "__half",
    "nv_bfloat16": "__nv_bfloat16",
}
_DROPPED = re.compile(r"\b(?:__restrict__|__restrict|restrict|volatile|__grid_constant__|struct)\b")


@dataclass(frozen=True)
class KernelSignature:
    """One `__global__` function with its body. `parameters` are (type, name), types in one spelling: 'const float*'.

    `template` means that the compiler makes no code of it: a template that the source does not instantiate.
    `template_names` are those of a template's parameters.
    """

    name: str
    line: int
    parameters: tuple[tuple[str, str], ...]
    template: bool = False
    template_names: tuple[str, ...] = ()

    def of(self, arguments: Sequence[str]) -> KernelSignature:
        """The kernel that a template's arguments make: float* for T* where T is float."""
        types = dict(zip(self.template_names, arguments, strict=False))

        def typed(text: str) -> str:
            return re.sub(r"\w+", lambda word: types.get(word[0], word[0]), text)

        return replace(self, parameters=tuple((typed(type_), name) for type_, name in self.parameters))


def find_kernels(source: str, options: Sequence[str] = ()) -> list[KernelSignature]:
    """The kernels in the order of the source; what is in comments, strings or branches not taken does not count."""
    root = parse(preprocess(source, options))
    instantiated = {function_name(node) for node in walk(root) if node.type == "template_instantiation"}
    aliases = type_aliases(root)
    return [
        KernelSignature(
            name=function_name(node),
            line=declarator.start_point.row + 1,
            parameters=parameters_of(declarator, aliases),
            template=node.type == "template_declaration" and function_name(node) not in instantiated,
            template_names=_template_names(node),
        )
        for node in functions(root)
        if is_kernel(node) and (declarator := function_declarator(node)) is not None
    ]


def check_signature(
    source: str, kernel: str = "gemm", options: Sequence[str] = (), wanted: Sequence[Parameter] | None = None
) -> Finding | None:
    """What is wrong with the kernel of that name, as a finding of kind 'compile_error'; None where it fits what is
    wanted, the course's six parameters where that is left out.

    Other names of parameters, __restrict__, typedefs, attributes, extern "C" and A or B without const are all right.
    """
    wanted = wanted or course_parameters()
    must = contract(wanted)
    if not is_text(source):
        return _finding(say.NOT_TEXT(), None)
    if not source.strip():
        return _finding(say.EMPTY_FILE(kernel=kernel, contract=must), None)
    kernels = find_kernels(source, options)
    found = [signature for signature in kernels if signature.name == kernel]
    if not found:
        return _missing(source, kernel, kernels, options, must)
    problems = [problem for signature in found if (problem := _problem(signature, wanted, must))]
    return _finding(problems[0], found[0].line) if len(problems) == len(found) else None


def launch_misfit(source: str, launches: object) -> Finding | None:
    """What is wrong with the kernel of a launch that asks for certain parameters; other launches ask for none."""
    if isinstance(launches, OnDevices):
        launches = launches.parts[0]
    if isinstance(launches, AskedLaunch):
        return check_signature(source, launches.kernel, wanted=launches.parameters)
    if isinstance(launches, LaunchSpec):
        return check_signature(source, launches.kernel, wanted=course_parameters(launches.layout.element))
    return None


def _finding(message: str, line: int | None) -> Finding:
    return Finding("compile_error", message, line=line)


def course_parameters(element: Element = FLOAT32) -> tuple[Parameter, ...]:
    """Those of a kernel of the course whose A and B hold that element."""
    matrix = (f"const {element.cuda}*", f"{element.cuda}*")
    arrays = (("A", matrix), ("B", matrix), ("C", _RESULT))
    return (*(Parameter(name, types) for name, types in arrays), *(Parameter(size, _SIZE) for size in "MNK"))


def contract(wanted: Sequence[Parameter] | None = None) -> str:
    """The parameters in brackets, as C++ has them; the course's where they are left out."""
    return f"({', '.join(f'{one.types[0]} {one.name}' for one in wanted or course_parameters())})"


def _missing(
    source: str, kernel: str, kernels: list[KernelSignature], options: Sequence[str], contract: str
) -> Finding:
    """Why there is no kernel of that name: declared only, not marked __global__, named otherwise, or none at all."""
    root = parse(preprocess(source, options))
    for node in outer_declarations(root):
        declarator = function_declarator(node)
        if declarator is None or function_name(node) != kernel:
            continue
        line = declarator.start_point.row + 1
        if is_kernel(node):
            return _finding(say.NO_BODY(kernel=kernel), line)
        return _finding(say.NOT_MARKED(kernel=kernel), line)
    if kernels:
        others = ", ".join(say.OTHER_KERNEL(name=signature.name, line=signature.line) for signature in kernels)
        return _finding(say.OTHER_KERNELS(kernel=kernel, others=others), kernels[0].line)
    return _finding(say.NO_KERNEL(kernel=kernel, contract=contract), None)


def _problem(signature: KernelSignature, wanted: Sequence[Parameter], contract: str) -> str | None:
    name, count = signature.name, len(signature.parameters)
    if signature.template:
        return say.NO_INSTANCE(kernel=name)
    if count != len(wanted):
        if count == 1:
            return say.ONE_PARAMETER(kernel=name, wanted=len(wanted), contract=contract)
        return say.PARAMETERS(kernel=name, count=count, wanted=len(wanted), contract=contract)
    for position, ((kind, parameter), one) in enumerate(zip(signature.parameters, wanted, strict=True), 1):
        if kind not in one.types:
            shown = parameter or say.UNNAMED()
            return say.WRONG_TYPE(
                position=position, kernel=name, parameter=shown, type=kind, expected=one.types[0], contract=contract
            )
    return None


def functions(root: Node) -> list[Node]:
    """The definitions of functions outside of classes, each with its template<> or extern "C"."""
    return [
        node
        for node in outer_declarations(root)
        if node.type in ("function_definition", "template_declaration", "linkage_specification")
        and any(child.type == "function_definition" for child in (node, *node.children))
    ]


def function_name(node: Node) -> str:
    """The plain name of a function's node, without template arguments."""
    declarator = function_declarator(node)
    if declarator is None:
        return ""
    return text_of(declarator.child_by_field_name("declarator")).split("<")[0].strip("() ")


def _template_names(node: Node) -> tuple[str, ...]:
    """T and TILE of template <typename T, int TILE = 16>; none of a function that is no template."""
    parameters = node.child_by_field_name("parameters") if node.type == "template_declaration" else None
    heads = [text_of(one).split("=")[0].split() for one in (parameters.named_children if parameters else ())]
    return tuple(head[-1] for head in heads if head)


def is_kernel(node: Node) -> bool:
    return "__global__" in function_head(node)


def type_aliases(root: Node) -> dict[str, str]:
    """The names that `using` and `typedef` give to types, with the type's own spelling."""
    aliases = {}
    for node in walk(root):
        if node.type == "alias_declaration":
            aliases[text_of(node.child_by_field_name("name"))] = text_of(node.child_by_field_name("type"))
        elif node.type == "type_definition":
            declarators = node.children_by_field_name("declarator")
            base = bytes_of(node)[len("typedef") : declarators[0].start_byte - node.start_byte].decode(
                "utf-8", "replace"
            )
            for declarator in declarators:
                names = [inner for inner in walk(declarator) if inner.type == "type_identifier"]
                aliases.update({text_of(name): base + "*" * text_of(declarator).count("*") for name in names[:1]})
    return aliases


def parameters_of(declarator: Node, aliases: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    parameters = part(declarator, "parameters").named_children
    kinds = ("parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration")
    pairs = [_parameter(node, aliases) for node in parameters if node.type in kinds]
    return tuple(pair for pair in pairs if pair != ("void", ""))


def _parameter(node: Node, aliases: Mapping[str, str]) -> tuple[str, str]:
    """('const float*', 'A') of `float const * __restrict__ A`; an array parameter is a pointer."""
    declarator, default = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
    names = [inner for inner in walk(declarator) if inner.type == "identifier"] if declarator is not None else []
    spelled = (
        bytes_of(node) if default is None else bytes_of(node)[: default.start_byte - node.start_byte].rstrip(b" =")
    )
    name = text_of(names[0]) if names else ""
    if names:
        start, end = names[0].start_byte - node.start_byte, names[0].end_byte - node.start_byte
        spelled = spelled[:start] + b" " + spelled[end:]
    text = re.sub(r"\[[^\]]*\]\s*$", "*", spelled.decode("utf-8", "replace"))
    return canonical_type(text, aliases), name


def canonical_type(spelled: str, aliases: Mapping[str, str]) -> str:
    """One spelling for each type: const first, pointers last, aliases resolved, const of the value itself dropped."""
    base, pointers = spelled, ""
    for _ in range(len(aliases) + 1):
        base, _, after = _DROPPED.sub(" ", base).partition("*")
        pointers = re.sub(r"\bconst\b|\s", "", f"*{after}" if _ else "") + pointers
        words = [word for word in base.split() if word != "const"]
        constant = "const " if "const" in base.split() else ""
        name = " ".join(words)
        if name not in aliases:
            break
        base = constant + aliases[name]
    name = _SAME_TYPE.get(name, name)
    return (constant if pointers else "") + name + pointers
