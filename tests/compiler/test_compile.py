"""The compiler, with the real NVRTC: what it returns, what it says, and that nothing fed to it takes anything along."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemmlab.compiler import cache
from gemmlab.compiler.compile import CompileError, compile_source, warm
from gemmlab.compiler.device_part import without_host_code
from gemmlab.compiler.nvrtc import client as nvrtc_client
from gemmlab.compiler.nvrtc.log import SOURCE_NAME, parse_diagnostics, parse_ptxas, parse_resources, plain_name
from gemmlab.errors import UserError
from gemmlab.kernel.program import Diagnostic

PARAMETERS = "(const float* A, const float* B, float* C, int M, int N, int K)"
TILED = f"""
#define TILE 16
extern "C" __global__ void gemm{PARAMETERS}
{{
    __shared__ float As[TILE][TILE];
    As[threadIdx.y][threadIdx.x] = A[threadIdx.y * K + threadIdx.x];
    __syncthreads();
    C[threadIdx.y * N + threadIdx.x] = As[threadIdx.x][threadIdx.y];
}}
"""


def kernel(body: str, before: str = "") -> str:
    return f'{before}extern "C" __global__ void gemm{PARAMETERS} {{ {body} }}\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path / "cache"))
    cache.forget()


def error_of(source: str, **arguments) -> CompileError:
    with pytest.raises(CompileError) as caught:
        compile_source(source, "mine.cu", **arguments)
    return caught.value


# What comes out


@pytest.mark.parametrize("debug", [False, True])
def test_ptx_and_cubin_of_one_kernel(debug):
    program = compile_source(TILED, "mine.cu", debug=debug)
    assert program.kernels == ("gemm",)
    assert (program.filename, program.arch, program.source) == ("mine.cu", "sm_80", TILED)
    assert ".entry gemm(" in program.ptx and f'"{SOURCE_NAME}"' in program.ptx and ".loc" in program.ptx
    assert (".target sm_80, debug" in program.ptx) == debug
    assert program.cubin is None if debug else program.cubin.startswith(b"\x7fELF")
    assert program.warnings == () and program.ptxas_errors == ()


def test_resources_come_from_ptxas():
    resources = compile_source(TILED).resources["gemm"]
    assert resources.shared_bytes == 16 * 16 * 4
    assert resources.barriers == 1
    assert 8 <= resources.registers <= 64
    assert (resources.local_bytes, resources.spill_store_bytes, resources.max_threads) == (0, 0, None)


def test_spills_and_launch_bounds_are_reported():
    body = "float a[64];\n#pragma unroll\nfor (int i = 0; i < 64; ++i) a[i] = A[i * K];\n__syncthreads();\n"
    body += "#pragma unroll\nfor (int i = 0; i < 64; ++i) C[i * N] = a[63 - i] * a[i];"
    source = kernel(body).replace("void gemm", "void __launch_bounds__(1024, 2) gemm")
    resources = compile_source(source).resources["gemm"]
    assert resources.registers <= 32 and resources.max_threads == 1024
    assert resources.spill_store_bytes > 0 and resources.local_bytes >= resources.spill_load_bytes // 8 > 0


def test_architecture_is_that_of_the_caller():
    assert ".target sm_90" in compile_source(TILED, arch="sm_90").ptx


def test_options_reach_the_compiler():
    program = compile_source(kernel("__shared__ float s[SIZE]; s[K] = A[M]; C[0] = s[N];"), options=["-DSIZE=77"])
    assert program.resources["gemm"].shared_bytes == 77 * 4


def test_names_without_extern_c_are_translated():
    source = f"""
        __global__ void gemm{PARAMETERS} {{ C[0] = 1; }}
        namespace mine {{ __global__ void inner(float* C) {{ C[0] = 2; }} }}
        template <int T> __global__ void tiled(float* C) {{ C[T] = 3; }}
        template __global__ void tiled<4>(float*);
    """
    program = compile_source(source)
    assert set(program.kernels) == {"gemm", "inner", "tiled"} == set(program.resources)
    assert program.symbol("gemm") == "_Z4gemmPKfS0_Pfiii"
    assert all(f".entry {program.symbol(name)}(" in program.ptx for name in program.kernels)
    assert program.symbol("unknown") == "unknown"


@pytest.mark.parametrize(
    "symbol, name",
    [
        ("gemm", "gemm"),
        ("_Z4gemmPKfS0_Pfiii", "gemm"),
        ("_ZL4gemmPf", "gemm"),
        ("_ZN2ns5innerE4gemmPf", "inner"),
        ("_ZN47_GLOBAL__N__00000000_9_kernel_cu_b28f8cb1_186764gemmEPfi", "gemm"),
        ("_Z4gemmILi16EEvPf", "gemm"),
        ("_Zoops", "_Zoops"),
        ("", ""),
    ],
)
def test_plain_name(symbol, name):
    assert plain_name(symbol) == name


HEADERS = (
    "cuda_runtime.h cuda.h cuda_pipeline.h mma.h cuda_fp16.h cuda_bf16.h math.h cmath cstdint stdint.h stdio.h cstdio "
    "stdlib.h iostream vector assert.h string.h cfloat climits cstddef algorithm device_launch_parameters.h cublas_v2.h"
)


def test_headers_as_students_write_them():
    includes = "".join(f"#include <{header}>\n" for header in HEADERS.split())
    body = """
        int64_t wide = N; std::uint32_t word = INT_MAX; std::size_t size = sizeof(__nv_bfloat16);
        float value = -INFINITY; value = std::max(value, std::sqrt(A[0])) + fmaf(A[1], B[1], FLT_MAX) + M_PI;
        C[0] = __half2float(__float2half(value)) + std::min(1, N) + wide + word + size;
        printf("%d", M); assert(K > 0); C[1] = dim3(2).x;
        __pipeline_memcpy_async(C, A, 16); __pipeline_commit(); __pipeline_wait_prior(0);
    """
    program = compile_source(kernel(body, includes + "using namespace std;\n"))
    assert "cp.async" in program.ptx and program.warnings == ()


def test_headers_of_cooperative_groups_and_tensor_cores():
    includes = "#include <cooperative_groups.h>\n#include <mma.h>\n#include <limits>\nnamespace wmma = nvcuda::wmma;\n"
    body = """
        cooperative_groups::this_thread_block().sync();
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
        wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
        wmma::fill_fragment(c, std::numeric_limits<float>::lowest());
        wmma::load_matrix_sync(a, A, K); wmma::load_matrix_sync(b, B, N);
        wmma::mma_sync(c, a, b, c); wmma::store_matrix_sync(C, c, N, wmma::mem_row_major);
    """
    ptx = compile_source(kernel(body, includes)).ptx
    assert "wmma.mma.sync" in ptx and "barrier.sync" in ptx or "bar.sync" in ptx


# What is said of wrong sources


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(
    "source, line, column, words",
    [
        (kernel("\n  float acc = 0\n  C[0] = acc;"), 3, 3, 'expected a ";"'),
        (kernel("\n\tC[0] = total;"), 2, 9, 'identifier "total" is undefined'),
        (kernel("/* é */ C[0] = q;"), 1, kernel("/* é */ C[0] = q;").index(" q;") + 2, '"q" is undefined'),
        ("\n#include <nothing_here.h>\n", 2, 26, "no header nothing_here.h"),
        (kernel("C[0] = 1;")[:-3], 1, None, 'at the end of the file: expected a "}"; to match this "{" (line 1)'),
        (kernel("\nC[0] = f(A);", "__device__ int f(int, int);\n"), 3, 11, "too few arguments"),
        ('#error "not today"\n', 1, 2, "not today"),
        ("template <class T> __device__ T f(T a) { return a.x; }\n" + kernel("C[0] = f(1.f);"), 1, 49, "at line 2"),
        ("int helper() { return 1; }\n" + kernel("\nC[0] = helper();"), 3, 8, "'helper' (line 1) belongs to the host"),
        (kernel("counter = 1;", "int counter;\n"), 2, None, "'counter' (line 1) belongs to the host"),
        ("struct S { int f() { return 1; } };\n" + kernel("C[0] = S().f();"), 1, 16, "write __device__ before it"),
        (kernel('\nasm volatile("no.such.thing;");'), 2, 1, "the assembler does not take this code"),
        (kernel("C[0] = missing();", "__device__ float missing();\n"), None, None, "missing"),
        ('#define __half int\n#include "cuda_fp16.h"\n' + kernel("C[0] = 1;"), 2, None, "in cuda_fp16.h, line"),
    ],
)
def test_errors_name_the_place_and_the_reason(source, line, column, words, debug):
    error = error_of(source, debug=debug)
    first = next(remark for remark in error.diagnostics if words in remark.message)
    assert first.severity == "error" and first.line == line
    assert column is None or first.column == column
    assert str(error).startswith("mine.cu:")
    assert not any(inside in str(error) for inside in ("/gemmlab/", "site-packages", "JIT", "NVRTC_ERROR", "ptx input"))


def test_overloads_that_do_not_match_are_told_in_one_remark():
    before = "__device__ float f(int, int);\n__device__ float f(char*, int);\n"
    (remark,) = error_of(kernel('C[0] = f("a", A);', before)).diagnostics
    assert remark.line == 3 and "argument types are" in remark.message
    assert "(line 1)" in remark.message and "(line 2)" in remark.message


@pytest.mark.parametrize(
    "body, line, words",
    [
        ("\nfloat acc; C[0] = acc;", 2, "used before its value is set"),
        ("if (C[0] = 1)\n C[1] = 2;", 1, '"=" where "=="'),
        ("\n\nint forgotten;", 3, "never referenced"),
    ],
)
def test_warnings_are_kept_from_the_cache_too(body, line, words):
    for _ in range(2):
        (warning,) = compile_source(kernel(body)).warnings
        assert warning.severity == "warning" and warning.line == line and words in warning.message
        cache.forget()


def test_a_flood_of_errors_is_cut():
    assert len(error_of("x;\n" * 5000).diagnostics) <= 20


def test_more_shared_memory_than_fits_is_not_a_compile_error():
    program = compile_source(kernel("__shared__ float s[96 * 96 * 2]; s[K] = A[M]; __syncthreads(); C[0] = s[N];"))
    assert program.cubin is None and ".entry gemm(" in program.ptx
    (reason,) = program.ptxas_errors
    assert "73,728 bytes" in reason and "49,152" in reason
    assert program.resources["gemm"].shared_bytes == 73728


@pytest.mark.parametrize(
    "source, words",
    [
        ("a\0b", "not text"),
        ("\ud800", "not text"),
        ("/" * 1_000_001, "more than 1,000,000 characters"),
        ('\n#include "/etc/passwd"\n', "other files cannot be included"),
        ("#include <../../secret>\n", "other files cannot be included"),
        ('#include "beside.h"\n', "no header beside.h"),
    ],
)
def test_what_is_not_read(source, words, tmp_path, monkeypatch):
    (tmp_path / "beside.h").write_text("int secret;")
    monkeypatch.chdir(tmp_path)
    assert words in str(error_of(source))


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"arch": "ampere"}, "write it like sm_80"),
        ({"arch": "sm_99"}, "does not know sm_99"),
        ({"options": ["--no-such-option"]}, "does not take its options"),
    ],
)
def test_wrong_requests_are_user_errors(arguments, words):
    with pytest.raises(UserError, match=words):
        compile_source(TILED, **arguments)


# Host code in the file


WHOLE_FILE = """
#include <cuda_runtime.h>
#include <vector>
#define TILE 16
constexpr int cdiv(int a, int b) { return (a + b - 1) / b; }
std::vector<float> results;
void solve(const float* A, float* C, int N);
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float s[cdiv(33, 16)];
    s[threadIdx.x % 3] = A[K] * B[M];
    __syncthreads();
    C[0] = s[N % 3];
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K)
{
    gemm<<<dim3(cdiv(N, TILE), cdiv(M, TILE)), dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
template <class T> T twice(T a) { return a + a; }
int main() { std::vector<float> a(9); solve(a.data(), a.data(), a.data(), 3, 3, 3); }
"""


def test_host_code_is_left_out():
    program = compile_source(WHOLE_FILE)
    assert program.kernels == ("gemm",) and program.source == WHOLE_FILE
    assert f".loc\t1 {WHOLE_FILE.split('__global__')[0].count(chr(10)) + 1}" in program.ptx


def test_an_error_beside_host_code_is_the_students_own():
    source = WHOLE_FILE.replace("C[0] = s[N % 3];", "C[0] = s[N % 3] + oops;")
    assert [remark.message for remark in error_of(source).diagnostics] == ['identifier "oops" is undefined']


def test_host_code_keeps_lines_and_device_code():
    part = without_host_code(WHOLE_FILE)
    assert set(part.removed) == {"results", "solve", "twice", "main"}
    assert part.text.count("\n") == WHOLE_FILE.count("\n")
    assert "main" not in part.text and "__global__ void gemm" in part.text and "cdiv(int" in part.text


def test_a_kernel_behind_a_macro_is_no_host_code():
    source = f'#define KERNEL extern "C" __global__\nKERNEL void gemm{PARAMETERS} {{ C[0] = 1; }}\nint main() {{}}\n'
    assert compile_source(source).kernels == ("gemm",)


# The process of the compiler


TEMPLATE_BOMB = """
template <int N, int M> struct S { static constexpr unsigned v = S<N - 1, 2 * M>::v + S<N - 1, 2 * M + 1>::v; };
template <int M> struct S<0, M> { static constexpr unsigned v = M; };
""" + kernel("C[0] = S<30, 1>::v;")
MACRO_BOMB = (
    "#define A0 C[0] += 1;\n" + "".join(f"#define A{i + 1} {f'A{i} ' * 8}\n" for i in range(12)) + kernel("A12")
)
CONSTANT_BOMB = kernel("constexpr int v = f(1); C[0] = v;", "__device__ constexpr int f(int n) { while (true) n++; }\n")


@pytest.mark.parametrize(
    "source, seconds, words",
    [
        (TEMPLATE_BOMB, 1.5, "stopped after 1.5 s"),
        (MACRO_BOMB, 1.5, "stopped after 1.5 s"),
        (CONSTANT_BOMB, 60, "constant value"),
    ],
)
def test_bombs_end_in_time_and_the_next_compilation_works(source, seconds, words):
    assert words in str(error_of(source, timeout=seconds))
    assert compile_source(TILED).kernels == ("gemm",)


def test_memory_is_limited_and_the_next_compilation_works(monkeypatch):
    nvrtc_client.stop()
    monkeypatch.setattr(nvrtc_client, "MEMORY_LIMIT", 1 << 30)
    error = error_of(kernel("C[0] = big[K];", "__device__ int big[1 << 28] = {1, 2};\n"))
    assert "more than 1 GiB of memory" in str(error)
    assert compile_source(TILED).kernels == ("gemm",)
    nvrtc_client.stop()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", "/dev/fd/3"])
def test_devices_hidden_in_a_macro_do_not_hang(path):
    error_of(f'#define FILE "{path}"\n#include FILE\n', timeout=20)
    assert compile_source(TILED).kernels == ("gemm",)


def worker_id() -> int:
    return nvrtc_client._worker.child.process.pid


def test_one_process_serves_until_it_dies_and_is_then_replaced():
    compile_source(TILED)
    first = worker_id()
    compile_source(kernel("C[0] = 1;"))
    assert worker_id() == first
    nvrtc_client._worker.child.process.kill()
    nvrtc_client._worker.child.process.wait()
    assert compile_source(kernel("C[0] = 2;")).kernels == ("gemm",)
    assert worker_id() != first


def test_an_interrupted_request_leaves_no_answer_behind(monkeypatch):
    compile_source(TILED)
    with monkeypatch.context() as patched:
        patched.setattr(nvrtc_client._Worker, "_receive", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            compile_source(kernel("C[0] = 1;"))
    assert "1073741824" in compile_source(kernel("C[0] = 2;")).ptx  # 2.0f


def test_threads_share_the_process():
    sources = [kernel(f"C[{i}] = 1;").replace("gemm", f"gemm{i}") for i in range(6)]
    with ThreadPoolExecutor(4) as pool:
        names = [program.kernels for program in pool.map(compile_source, sources)]
    assert names == [(f"gemm{i}",) for i in range(6)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_starts_its_own():
    compile_source(TILED)
    parent = worker_id()
    child = os.fork()
    if child == 0:
        done = compile_source(kernel("C[0] = 3;")).kernels == ("gemm",) and worker_id() != parent
        nvrtc_client.stop()
        os._exit(0 if done else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert compile_source(kernel("C[0] = 4;")).kernels == ("gemm",) and worker_id() == parent


def test_warm_starts_the_process_once():
    nvrtc_client.stop()
    warm()
    started = worker_id()
    warm()
    assert compile_source(TILED).kernels == ("gemm",) and worker_id() == started


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="this system does not say what a process needs")
def test_the_memory_of_a_large_caller_is_not_the_compilers_own():
    program = (
        "import subprocess, sys; large = b'x' * (400 << 20); "
        "ask = 'from gemmlab.compiler.nvrtc import worker; print(worker._peak_memory())'; "
        "print(subprocess.run([sys.executable, '-c', ask], capture_output=True, text=True, check=True).stdout)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert 0 < int(told) < 200 << 20


def test_nothing_of_the_compiler_is_loaded_by_the_caller():
    program = (
        "import sys; from gemmlab.compiler.compile import compile_source; "
        f"assert compile_source({TILED!r}).kernels == ('gemm',); "
        "heavy = {'cupy', 'cupy_backends', 'numba', 'tree_sitter', 'matplotlib'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_without_nvrtc_a_user_error_says_so(monkeypatch, tmp_path):
    nvrtc_client.stop()
    (tmp_path / "cupy_backends").mkdir()
    (tmp_path / "cupy_backends/__init__.py").write_text("raise ImportError('no CuPy here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(UserError, match="gemmlab doctor"):
        compile_source(TILED)
    nvrtc_client.stop()


def test_describe_names_version_and_headers():
    found = nvrtc_client.describe()
    assert found["version"][0] >= 12 and len(found["include"]) >= 1


# The cache


@pytest.fixture
def no_compiler(monkeypatch):
    """From the moment it is called, whoever asks the compiler fails."""

    def refuse(*_):
        raise AssertionError("the compiler was asked")

    return lambda: monkeypatch.setattr(nvrtc_client, "ask", refuse)


@pytest.mark.parametrize("from_disk", [False, True])
def test_a_result_is_compiled_once(no_compiler, from_disk):
    before = compile_source(TILED, "one.cu")
    no_compiler()
    if from_disk:
        cache.forget()
    after = compile_source(TILED, "other.cu")
    assert after.filename == "other.cu"
    assert (after.ptx, after.cubin, after.resources) == (before.ptx, before.cubin, before.resources)


@pytest.mark.parametrize("change", [{"arch": "sm_90"}, {"debug": True}, {"options": ["-DX"]}, {"source": TILED + " "}])
def test_whatever_changes_the_result_changes_the_entry(no_compiler, change):
    compile_source(TILED)
    no_compiler()
    with pytest.raises(AssertionError, match="the compiler was asked"):
        compile_source(**{"source": TILED, **change})


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"0\n{}", b"\xff\xfe"])
def test_a_broken_entry_is_ignored(content):
    compile_source(TILED)
    (entry,) = cache.folder().iterdir()
    entry.write_bytes(content or entry.read_bytes()[:-1])
    cache.forget()
    assert compile_source(TILED).kernels == ("gemm",)
    assert len(entry.read_bytes()) > 1000


def test_files_and_memory_are_bounded(monkeypatch):
    monkeypatch.setattr(cache, "MOST_FILES", 5)
    monkeypatch.setattr(cache, "MOST_IN_MEMORY", 3)
    for number in range(9):
        cache.store(cache.key(number=number), {"number": number})
    assert len(list(cache.folder().iterdir())) == 5
    assert len(cache._memory) == 3
    assert cache.load(cache.key(number=8))["number"] == 8


def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GEMMLAB_CACHE_DIR", str(tmp_path / "file"))
    assert compile_source(TILED).kernels == ("gemm",)


def test_errors_are_not_cached():
    error_of("x;")
    assert not cache.folder().exists()


# The reader of the compiler's log


@given(st.text(alphabet=st.sampled_from(list("(): ^\nptxas error kernel.cu12#D-note/gemmlab"))), st.text(max_size=40))
def test_any_log_is_read(log, source):
    for remark in parse_diagnostics(log, source):
        assert isinstance(remark, Diagnostic) and remark.message is not None
    parse_ptxas(log)
    parse_resources(log)


def test_line_directives_do_not_invent_places():
    error = error_of('#line 700 "/etc/somewhere.h"\n' + kernel("C[0] = x;"))
    assert error.diagnostics[0].line is None and "/etc" not in str(error)
    assert error_of("#line 700\n" + kernel("C[0] = x;")).diagnostics[0].line is None
