"""Headers that students write but NVRTC does not have, given to it from memory.

NVIDIA's packages bring <cuda_runtime.h>, <cuda_pipeline.h>, <mma.h>, <cuda_fp16.h>, <cuda_bf16.h>, <cuda/std/...>,
<cooperative_groups.h> and their like. Here are those of the C and C++ libraries:
- types, limits and mathematics: declared, as far as device code can use them;
- <limits>, <type_traits>, <utility>, <array>, <tuple>: CUDA's own version of them, under the name std;
- what nvcc includes by itself before a file: the names of integer types (BEFORE_ALL);
- headers for the host (<iostream>, <vector>, <cublas_v2.h> ...): empty, so that a file with host code finds them. What
  device code uses of them (printf, assert, memcpy, malloc) is built into NVRTC.
"""

from __future__ import annotations

_INTEGERS = "".join(
    f"typedef signed {name} int{bits}_t; typedef unsigned {name} uint{bits}_t;\n"
    for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long long"))
)
_INTEGER_NAMES = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_MATH_NAMES = (
    "abs fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh floor "
    "ceil round trunc rint nearbyint fmod remainder fma fmin fmax fdim hypot copysign isnan isinf isfinite signbit erf "
    "erfc tgamma lgamma ldexp frexp modf lround llround lrint"
).split()


def _constants(values: dict[str, str]) -> str:
    return "".join(f"#undef {name}\n#define {name} {value}\n" for name, value in values.items())


def _in_std(names: list[str]) -> str:
    return "namespace std {" + "".join(f" using ::{name};" for name in names) + " }\n"


def _from_cuda(name: str) -> str:
    return f"#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n"


_MATH_CONSTANTS = _constants(
    {
        "INFINITY": "(__builtin_bit_cast(float, 0x7f800000u))",
        "NAN": "(__builtin_bit_cast(float, 0x7fffffffu))",
        "HUGE_VALF": "INFINITY",
        "HUGE_VAL": "((double)INFINITY)",
        "M_PI": "3.14159265358979323846",
        "M_E": "2.71828182845904523536",
        "M_SQRT2": "1.41421356237309504880",
    }
)
_FLOAT_CONSTANTS = _constants(
    {
        "FLT_MAX": "3.402823466e+38f",
        "FLT_MIN": "1.175494351e-38f",
        "FLT_EPSILON": "1.192092896e-07f",
        "DBL_MAX": "1.7976931348623157e+308",
        "DBL_MIN": "2.2250738585072014e-308",
        "DBL_EPSILON": "2.2204460492503131e-16",
    }
)
_INTEGER_CONSTANTS = _constants(
    {
        "CHAR_BIT": "8",
        "INT_MAX": "2147483647",
        "INT_MIN": "(-INT_MAX - 1)",
        "UINT_MAX": "4294967295u",
        "LLONG_MAX": "9223372036854775807ll",
        "LLONG_MIN": "(-LLONG_MAX - 1)",
        "ULLONG_MAX": "18446744073709551615ull",
    }
)
_ALGORITHM = """
namespace std {
using ::min;
using ::max;
template <class T> __host__ __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
"""
BEFORE_ALL = "gemmlab/before_all.h"  # what a file of nvcc's knows without an #include
_SHORT_NAMES = "".join(f"typedef unsigned {name} u{name};\n" for name in ("int", "short", "long"))
_HOST_ONLY = (
    "stdio.h cstdio iostream iomanip fstream sstream ostream istream stdlib.h cstdlib string.h cstring string vector "
    "map unordered_map set memory functional numeric random chrono thread mutex exception stdexcept assert.h cassert "
    "time.h ctime sys/time.h unistd.h cuda.h cublas_v2.h cublasLt.h curand.h cuda_profiler_api.h"
).split()
_DEFINED = {
    BEFORE_ALL: _INTEGERS + _SHORT_NAMES + _in_std([*_INTEGER_NAMES, "size_t", "ptrdiff_t"]),
    "stdint.h": _INTEGERS,
    "cstdint": _INTEGERS + _in_std(_INTEGER_NAMES),
    "stddef.h": "",
    "cstddef": _in_std(["size_t", "ptrdiff_t"]),
    "math.h": _MATH_CONSTANTS,
    "cmath": _MATH_CONSTANTS + _in_std(_MATH_NAMES),
    "float.h": _FLOAT_CONSTANTS,
    "cfloat": _FLOAT_CONSTANTS,
    "limits.h": _INTEGER_CONSTANTS,
    "climits": _INTEGER_CONSTANTS,
    "algorithm": _ALGORITHM,
    **{name: _from_cuda(name) for name in ("limits", "type_traits", "utility", "array", "tuple")},
}

HEADERS = {**{name: "\n" for name in _HOST_ONLY}, **{name: f"#pragma once\n{text}" for name, text in _DEFINED.items()}}
