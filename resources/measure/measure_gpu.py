#!/usr/bin/env python3
"""Measures one GPU for Shardscope: matrix multiplications, attention, memory bandwidth and small models.

    python3 measure_gpu.py -o my-gpu.json              # about five minutes on one GPU
    python3 measure_gpu.py --minutes 20 -o my-gpu.json # the same grid, more of it
    python3 measure_gpu.py --tiny -o trial.json        # a few seconds on the CPU, to try the script

Needs PyTorch 1.13 or newer and nothing else. Writes one JSON file, whole or not at all; progress goes to
standard error. README.md beside this file says what is measured and what becomes of it.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import inspect
import itertools
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Optional, Sequence, Tuple

OLDEST_TORCH = (1, 13)


def stop(message: str, code: int = 2) -> NoReturn:
    """Ends the program: 2 for what the user can mend, 1 for anything else, as the shardscope command does."""
    print(f"measure_gpu: {message}", file=sys.stderr)
    sys.exit(code)


try:
    import torch
    import torch.nn.functional as F
    from torch import Tensor, nn
    from torch.utils.checkpoint import checkpoint
except ImportError as missing:
    stop(f"PyTorch cannot be imported ({missing}); install it (https://pytorch.org), then run this again "
         "with the Python that has it")

Row = Dict[str, Any]

# ---- How long something takes ----------------------------------------------------------------------------


@dataclass
class Bench:
    """What is measured on, and how thoroughly."""

    device: torch.device
    dtype: torch.dtype
    precision: str
    batch_s: float   # calls are timed in batches of about this long: one alone may be too short for the clock
    repeats: int     # batches; their median is what is reported
    longest_s: float  # no case is repeated for longer than this

    @property
    def cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def element_bytes(self) -> int:
        return torch.finfo(self.dtype).bits // 8

    def synchronize(self) -> None:
        if self.cuda:
            torch.cuda.synchronize()

    def elapsed(self, run: Callable[[], Any], calls: int) -> float:
        """Seconds of `calls` calls, by the GPU's own clock where there is one."""
        if not self.cuda:
            start = time.perf_counter()
            for _ in range(calls):
                run()
            return time.perf_counter() - start
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000

    def seconds(self, run: Callable[[], Any], warm_up: int = 3, in_a_row: int = 1) -> float:
        """Median time of one call, of batches that hold at least `in_a_row`."""
        for _ in range(warm_up):
            run()
        self.synchronize()
        once = max(self.elapsed(run, 1), 1e-7)
        calls = max(in_a_row, min(1000, math.ceil(self.batch_s / once)))
        repeats = max(2, min(self.repeats, int(self.longest_s / (calls * once))))
        return statistics.median(self.elapsed(run, calls) / calls for _ in range(repeats))

    def kernel_seconds(self, run: Callable[[], Any]) -> float:
        """Median time of one call whose kernels are what is asked for, not the host that launches them."""
        seconds = self.seconds(run)
        if self.cuda:
            calls = 20  # few enough that the launch queue holds them: a full one makes the host wait
            start = time.perf_counter()
            for _ in range(calls):
                run()
            launching = (time.perf_counter() - start) / calls
            self.synchronize()
            if launching > 0.9 * seconds:
                raise RuntimeError("too short: the host launches it no faster than the GPU runs it")
        return seconds

    def random(self, *shape: int) -> Tensor:
        # Never zeros: GPUs draw less power and clock higher on predictable data (H. He 2024, "Strangely,
        # matrix multiplications on GPUs run faster when given 'predictable' data!").
        return torch.randn(*shape, device=self.device, dtype=self.dtype)

    def rotation(self, make: Callable[[], Any], bytes_each: float) -> Iterator[Any]:
        """Inputs in turn, enough of them that the last level cache cannot keep what the next call reads."""
        beyond_caches = 256e6 if self.cuda else 0
        copies = max(1, min(8, math.ceil(beyond_caches / bytes_each)))
        return itertools.cycle([make() for _ in range(copies)])

    def free(self) -> None:
        gc.collect()
        if self.cuda:
            torch.cuda.synchronize()
            torch.cuda.empty_cache()


# ---- Matrix multiplications ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gemm:
    """C[m x n] = A[m x k] B[k x n]."""

    m: int
    n: int
    k: int
    precision: str

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k} {self.precision}"


def gemm_cases(precision: str, fp8: bool, tiny: bool) -> List[Gemm]:
    if tiny:
        return [Gemm(m, n, k, precision) for m in (64, 128) for n in (64, 128) for k in (64, 256)]
    shapes = set()
    # The matrices of layers: forward and input gradient have the tokens outside, weight gradients inside.
    for h, tokens in itertools.product((1024, 2048, 4096, 8192), (2048, 4096, 8192, 16384)):
        for n, k in ((3 * h, h), (h, h), (4 * h, h), (h, 4 * h)):
            shapes.add((tokens, n, k))
        shapes.add((h, 4 * h, tokens))
    # The LM head.
    shapes.update((tokens, 50304, h) for tokens in (2048, 8192) for h in (1024, 4096))
    # Short inner dimensions show K1/2, small outputs show A1/2; both occur under tensor parallelism.
    shapes.update((8192, 8192, k) for k in (128, 256, 384, 512, 768, 1024))
    shapes.update((m, n, 8192) for m in (256, 512, 1024, 2048) for n in (512, 1024, 2048))
    cases = [Gemm(m, n, k, precision) for m, n, k in sorted(shapes)]
    if fp8:
        cases += [Gemm(m, n, k, "fp8") for m, n, k in sorted(shapes)[::4]]
    # Shuffled, so that whatever the time allows spans the grid.
    random.Random(0).shuffle(cases)
    return cases


def fp8_matrices(m: int, n: int, k: int) -> Tuple[Tensor, Tensor]:
    """Row-major A and column-major B, as torch._scaled_mm wants them."""
    a = torch.randn(m, k, device="cuda").to(torch.float8_e4m3fn)
    b = torch.randn(n, k, device="cuda").to(torch.float8_e4m3fn)
    return a, b.t()


def fp8_multiply(a: Tensor, b: Tensor, one: Tensor) -> Any:
    return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


def has_fp8(bench: Bench) -> bool:
    """torch._scaled_mm is private and its signature has changed: fp8 is measured where this call works."""
    if not bench.cuda or not hasattr(torch, "_scaled_mm") or not hasattr(torch, "float8_e4m3fn"):
        return False
    try:
        fp8_multiply(*fp8_matrices(64, 64, 64), torch.ones((), device="cuda"))
        torch.cuda.synchronize()
    except Exception:  # any reason is the same answer
        return False
    return True


def measure_gemm(case: Gemm, bench: Bench) -> Row:
    m, n, k = case.m, case.n, case.k
    if case.precision == "fp8":
        one = torch.ones((), device=bench.device)
        inputs = bench.rotation(lambda: fp8_matrices(m, n, k), m * k + n * k)

        def run() -> None:
            a, b = next(inputs)
            fp8_multiply(a, b, one)
    else:
        inputs = bench.rotation(lambda: (bench.random(m, k), bench.random(n, k)),
                                bench.element_bytes * (m * k + n * k))

        def run() -> None:
            x, weight = next(inputs)
            F.linear(x, weight)

    with torch.no_grad():
        return {**asdict(case), "seconds": bench.kernel_seconds(run)}


# ---- Attention -------------------------------------------------------------------------------------------

HAS_FUSED_ATTENTION = hasattr(F, "scaled_dot_product_attention")  # since PyTorch 2.0
# Fewer key/value heads than query heads without copying them: since PyTorch 2.5.
HAS_GROUPED_ATTENTION = HAS_FUSED_ATTENTION and "enable_gqa" in (F.scaled_dot_product_attention.__doc__ or "")


def repeated_heads(x: Tensor, heads: int) -> Tensor:
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def flash_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    if q.shape[1] == k.shape[1]:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    # Only the flash kernels know grouped heads, and those need an Ampere GPU.
    if HAS_GROUPED_ATTENTION and q.is_cuda and torch.cuda.get_device_capability()[0] >= 8:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return F.scaled_dot_product_attention(q, repeated_heads(k, q.shape[1]), repeated_heads(v, q.shape[1]),
                                          is_causal=True)


def naive_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    s = q.shape[2]
    above = torch.ones(s, s, dtype=torch.bool, device=q.device).triu(1)
    scores = torch.matmul(q, repeated_heads(k, q.shape[1]).transpose(2, 3)) * q.shape[3] ** -0.5
    weights = torch.softmax(scores.masked_fill(above, float("-inf")), dim=-1)
    return torch.matmul(weights, repeated_heads(v, q.shape[1]))


ATTENTION = {"flash": flash_attention, "naive": naive_attention}


def attention_kernels() -> List[str]:
    return ["flash", "naive"] if HAS_FUSED_ATTENTION else ["naive"]


@dataclass(frozen=True)
class Attention:
    batch: int
    heads: int
    sequence: int
    head_size: int
    kernel: str
    causal: bool = True

    def __str__(self) -> str:
        return f"{self.kernel} s={self.sequence} b={self.batch} heads={self.heads}x{self.head_size}"


def attention_cases(tiny: bool) -> List[Attention]:
    if tiny:
        return [Attention(2, 2, s, 16, kernel) for s in (32, 64) for kernel in attention_kernels()]
    cases = []
    tokens = 16384
    for kernel in attention_kernels():
        # Scores of s x s are kept in full without a fused kernel.
        longest = 16384 if kernel == "flash" else 4096
        for s in (512, 1024, 2048, 4096, 8192, 16384):
            for heads, head_size in ((16, 64), (16, 128), (32, 128)):
                if s <= longest:
                    cases.append(Attention(max(1, tokens // s), heads, s, head_size, kernel))
    random.Random(0).shuffle(cases)
    return cases


def measure_attention(case: Attention, bench: Bench) -> Row:
    shape = (case.batch, case.sequence, case.heads, case.head_size)
    # Heads beside each other in memory, as the projection of a layer leaves them.
    q, k, v = (bench.random(*shape).transpose(1, 2).requires_grad_() for _ in range(3))
    kernel = ATTENTION[case.kernel]
    forward = bench.kernel_seconds(lambda: kernel(q, k, v))
    out = kernel(q, k, v)
    gradient = torch.randn_like(out)
    backward = bench.kernel_seconds(
        lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True))
    return {**asdict(case), "forward_s": forward, "backward_s": backward}


# ---- Memory bandwidth ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Streaming:
    kind: str  # copy: one tensor read, one written; add: two read, one written
    tensor_bytes: int

    def __str__(self) -> str:
        return f"{self.kind} {self.tensor_bytes / 1e6:,.0f} MB"


def streaming_cases(tiny: bool) -> List[Streaming]:
    megabytes = (1, 4) if tiny else (256, 512, 1024, 2048)
    return [Streaming(kind, mb * 2**20) for mb in megabytes for kind in ("copy", "add")]


def measure_streaming(case: Streaming, bench: Bench) -> Row:
    elements = case.tensor_bytes // bench.element_bytes
    a, out = bench.random(elements), bench.random(elements)
    if case.kind == "copy":
        return {"bytes": 2 * case.tensor_bytes, "seconds": bench.seconds(lambda: out.copy_(a))}
    b = bench.random(elements)
    return {"bytes": 3 * case.tensor_bytes, "seconds": bench.seconds(lambda: torch.add(a, b, out=out))}


# ---- Small models ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """A GPT (plain: layernorm, biases, learned positions, tied embeddings) or a Llama (gated: rmsnorm, no
    biases, rotary embedding, LM head of its own)."""

    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    mlp: str
    vocab: int

    @property
    def norm(self) -> str:
        return "rmsnorm" if self.mlp == "gated" else "layernorm"


@dataclass(frozen=True)
class Step:
    model: Model
    sequence: int
    micro_batch: int
    recompute: str
    attention: str

    def __str__(self) -> str:
        m = self.model
        return (f"{m.layers} layers of {m.hidden} ({m.mlp}) s={self.sequence} b={self.micro_batch} "
                f"{self.attention} recompute={self.recompute}")


def step_cases(tiny: bool) -> List[Step]:
    fastest = attention_kernels()[0]
    if tiny:
        models = [Model(2, 64, 256, 4, 4, "plain", 256), Model(2, 64, 160, 4, 2, "gated", 256)]
        return [Step(model, 32, 2, recompute, fastest)
                for model in models for recompute in ("none", "selective", "full")]
    models = [
        Model(12, 768, 3072, 12, 12, "plain", 50304),
        Model(8, 2048, 5632, 16, 16, "gated", 32000),
        Model(4, 4096, 14336, 32, 8, "gated", 32000),
        Model(6, 2560, 10240, 20, 20, "plain", 50304),
        Model(2, 4096, 14336, 32, 8, "gated", 32000),
        Model(2, 8192, 28672, 64, 8, "gated", 32000),
    ]
    first = [Step(model, 2048, 2, recompute, fastest) for recompute in ("none", "full") for model in models]
    others = [Step(model, s, b, recompute, fastest) for model in models
              for s, b in ((2048, 1), (2048, 2), (2048, 8), (4096, 2), (8192, 1))
              for recompute in ("none", "selective", "full")]
    if fastest != "naive":
        others += [Step(model, 2048, 2, recompute, "naive") for model in models[:3]
                   for recompute in ("none", "selective", "full")]
    others = [case for case in others if case not in first]
    random.Random(0).shuffle(others)
    return first + others


class RmsNorm(nn.Module):
    """torch.nn.RMSNorm came with 2.4; this is what models wrote before it and many still do."""

    def __init__(self, size: int, **where: Any) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size, **where))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * self.weight


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Layer(nn.Module):
    def __init__(self, model: Model, **where: Any) -> None:
        super().__init__()
        h, bias = model.hidden, model.mlp == "plain"
        self.heads, self.kv_heads, self.head_size = model.heads, model.kv_heads, h // model.heads
        self.gated = model.mlp == "gated"
        norm = RmsNorm if self.gated else nn.LayerNorm
        self.attention_norm = norm(h, **where)
        self.qkv = nn.Linear(h, (model.heads + 2 * model.kv_heads) * self.head_size, bias=bias, **where)
        self.output = nn.Linear(h, h, bias=bias, **where)
        self.mlp_norm = norm(h, **where)
        self.up = nn.Linear(h, (2 if self.gated else 1) * model.ffn, bias=bias, **where)
        self.down = nn.Linear(model.ffn, h, bias=bias, **where)

    def forward(self, x: Tensor, rotary: Optional[Tuple[Tensor, Tensor]], step: Step) -> Tensor:
        b, s, h = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(b, s, -1, self.head_size).transpose(1, 2)
        q, k, v = qkv.split((self.heads, self.kv_heads, self.kv_heads), dim=1)
        if rotary is not None:
            q, k = rotated(q, *rotary), rotated(k, *rotary)
        core = ATTENTION[step.attention]
        if step.recompute == "selective":
            attended = checkpoint(core, q, k, v, use_reentrant=False, preserve_rng_state=False)
        else:
            attended = core(q, k, v)
        x = x + self.output(attended.transpose(1, 2).reshape(b, s, h))
        up = self.up(self.mlp_norm(x))
        if self.gated:
            gate, up = up.chunk(2, dim=-1)
            return x + self.down(F.silu(gate) * up)
        return x + self.down(F.gelu(up))


class Transformer(nn.Module):
    def __init__(self, step: Step, **where: Any) -> None:
        super().__init__()
        model = step.model
        self.step = step
        self.embedding = nn.Embedding(model.vocab, model.hidden, **where)
        self.layers = nn.ModuleList(Layer(model, **where) for _ in range(model.layers))
        self.head = nn.Linear(model.hidden, model.vocab, bias=False, **where)
        self.positions: Optional[nn.Embedding] = None
        self.rotary: Optional[Tuple[Tensor, Tensor]] = None
        if model.mlp == "gated":
            self.norm: nn.Module = RmsNorm(model.hidden, **where)
            self.rotary = rotary_tables(step.sequence, model.hidden // model.heads, **where)
        else:
            self.norm = nn.LayerNorm(model.hidden, **where)
            self.positions = nn.Embedding(step.sequence, model.hidden, **where)
            self.head.weight = self.embedding.weight

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """The loss; logits live no longer than it needs them."""
        x = self.embedding(tokens)
        if self.positions is not None:
            x = x + self.positions.weight
        for layer in self.layers:
            if self.step.recompute == "full":
                x = checkpoint(layer, x, self.rotary, self.step, use_reentrant=False,
                               preserve_rng_state=False)
            else:
                x = layer(x, self.rotary, self.step)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def rotary_tables(sequence: int, head_size: int, device: torch.device,
                  dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
    frequencies = 10000.0 ** (-torch.arange(0, head_size, 2, device=device) / head_size)
    angles = torch.outer(torch.arange(sequence, device=device), frequencies).repeat(1, 2)
    return angles.cos().to(dtype), angles.sin().to(dtype)


class Training:
    """AdamW in mixed precision: weights and gradients of 2 bytes, and of 4 bytes each a master copy, two
    moments and, while the optimizer runs, the gradient. In fp32 everything is kept once, in 4 bytes."""

    LOSS_SCALE = 128.0  # keeps small gradients within fp16's range; exact in every format

    def __init__(self, step: Step, bench: Bench) -> None:
        where = {"device": bench.device, "dtype": bench.dtype}
        self.model = Transformer(step, **where)
        self.weights = list(self.model.parameters())
        self.mixed = bench.dtype != torch.float32
        self.masters = self.weights
        if self.mixed:
            self.masters = [nn.Parameter(w.detach().float()) for w in self.weights]
        options: Dict[str, Any] = {"lr": 1e-4, "betas": (0.9, 0.95), "weight_decay": 0.1}
        if bench.cuda:
            # One kernel over all parameters, without copies of them: since PyTorch 2.0.
            known = inspect.signature(torch.optim.AdamW).parameters
            options.update({"fused": True} if "fused" in known else {"foreach": False})
        self.optimizer = torch.optim.AdamW(self.masters, **options)
        shape = (step.micro_batch, step.sequence)
        self.tokens = torch.randint(step.model.vocab, shape, device=bench.device)
        self.targets = torch.randint(step.model.vocab, shape, device=bench.device)

    def parameters(self) -> int:
        return sum(w.numel() for w in self.weights)

    def step(self) -> None:
        loss = self.model(self.tokens, self.targets)
        (loss * self.LOSS_SCALE if self.mixed else loss).backward()
        if self.mixed:
            for weight, master in zip(self.weights, self.masters):
                master.grad = weight.grad.float().div_(self.LOSS_SCALE)
                weight.grad = None
        self.optimizer.step()
        for master in self.masters:
            master.grad = None
        if self.mixed:
            with torch.no_grad():
                for weight, master in zip(self.weights, self.masters):
                    weight.copy_(master)


def measure_step(case: Step, bench: Bench) -> Row:
    training = Training(case, bench)
    for _ in range(2):  # the first makes the optimizer's state
        training.step()
    bench.synchronize()
    if bench.cuda:
        torch.cuda.reset_peak_memory_stats()
    # A training loop queues the next step while this one runs; alone, a step would start with an idle GPU.
    seconds = bench.seconds(training.step, warm_up=1, in_a_row=3)
    row: Row = {**asdict(case.model), "norm": case.model.norm, "sequence": case.sequence,
                "micro_batch": case.micro_batch, "recompute": case.recompute, "attention": case.attention,
                "precision": bench.precision, "optimizer": "adamw", "step_s": seconds,
                "peak_allocated_bytes": None, "peak_reserved_bytes": None, "device_bytes": None,
                "parameters": training.parameters()}
    if bench.cuda:
        free, total = torch.cuda.mem_get_info()
        row["peak_allocated_bytes"] = torch.cuda.max_memory_allocated()
        row["peak_reserved_bytes"] = torch.cuda.max_memory_reserved()
        row["device_bytes"] = total - free
    return row


# ---- The run ---------------------------------------------------------------------------------------------


class Progress:
    def __init__(self) -> None:
        self.start = time.monotonic()

    def say(self, text: str) -> None:
        print(f"[{time.monotonic() - self.start:4.0f} s] {text}", file=sys.stderr, flush=True)


def skip_reason(error: BaseException) -> str:
    """Why a case alone is given up: no memory for it, or no kernel here."""
    text = str(error)
    no_memory = ("out of memory", "ALLOC_FAILED", "can't allocate memory", "not enough memory")
    if isinstance(error, MemoryError) or any(words in text for words in no_memory):
        return "out of memory"
    return text.strip().split("\n")[0][:160] or type(error).__name__


def shown(row: Row) -> str:
    if "seconds" in row and "bytes" in row:
        return f"{row['bytes'] / row['seconds'] / 1e9:.1f} GB/s"
    if "seconds" in row:
        rate = 2 * row["m"] * row["n"] * row["k"] / row["seconds"]
        return f"{row['seconds'] * 1e3:.3f} ms, {rate / 1e12:.2f} TFLOP/s"
    if "step_s" not in row:
        return f"forward {row['forward_s'] * 1e3:.3f} ms, backward {row['backward_s'] * 1e3:.3f} ms"
    peak = row["peak_allocated_bytes"]
    return f"{row['step_s'] * 1e3:.1f} ms" + ("" if peak is None else f", {peak / 2**30:.2f} GiB")


def measure_all(section: str, cases: Sequence[Any], measure: Callable[[Any, Bench], Row], bench: Bench,
                deadline: float, skipped: List[Row], progress: Progress) -> List[Row]:
    """Every case until the deadline, at least one; what is left out is noted with its reason."""
    rows: List[Row] = []
    for i, case in enumerate(cases):
        reason: Optional[str] = None
        if i > 0 and time.monotonic() > deadline:
            reason = "out of time"
        else:
            try:
                row = measure(case, bench)
            except (RuntimeError, MemoryError) as error:
                reason = skip_reason(error)
            else:
                rows.append(row)
                progress.say(f"{section} {i + 1}/{len(cases)}  {case}: {shown(row)}")
            # After the error, which held the tensors of its frames, is gone. Fails where the GPU itself has
            # failed and would fail every case to come.
            bench.free()
        if reason is not None:
            skipped.append({"section": section, "case": str(case), "reason": reason})
            if reason != "out of time":
                progress.say(f"{section} {i + 1}/{len(cases)}  {case}: skipped, {reason}")
    late = sum(1 for row in skipped if row["section"] == section and row["reason"] == "out of time")
    if late:
        progress.say(f"{section}: {late} of {len(cases)} cases left out; --minutes gives them time")
    return rows


def spin_up(bench: Bench, seconds: float) -> None:
    """A cold GPU clocks higher than one that trains: warm it before the first measurement."""
    a, b = bench.random(4096, 4096), bench.random(4096, 4096)
    end = time.monotonic() + seconds
    with torch.no_grad():
        while time.monotonic() < end:
            for _ in range(10):
                F.linear(a, b)
            bench.synchronize()


def bench_of(tiny: bool) -> Bench:
    if tiny:
        return Bench(torch.device("cpu"), torch.float32, "fp32", batch_s=0.001, repeats=3, longest_s=0.5)
    if not torch.cuda.is_available():
        stop("PyTorch sees no GPU here; check `nvidia-smi` and that this PyTorch is built for CUDA or ROCm "
             f"(it is {torch.__version__}), or try the script on the CPU with --tiny")
    # torch.cuda.is_bf16_supported() also says yes where bf16 is only emulated.
    bf16 = torch.cuda.is_bf16_supported() and torch.cuda.get_device_capability()[0] >= 8
    if HAS_FUSED_ATTENTION:
        # Never take the unfused fallback for a flash kernel: a case without one is skipped instead.
        torch.backends.cuda.enable_math_sdp(False)
    return Bench(torch.device("cuda"), torch.bfloat16 if bf16 else torch.float16, "bf16" if bf16 else "fp16",
                 batch_s=0.01, repeats=7, longest_s=10)


def driver_version() -> Optional[str]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    try:
        answer = subprocess.run([tool, "--query-gpu=driver_version", "--format=csv,noheader"],
                                capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = answer.stdout.split()
    return lines[0] if lines else None


def system(bench: Bench) -> Row:
    toolkit = torch.version.cuda or getattr(torch.version, "hip", None)
    cudnn = torch.backends.cudnn.version() if bench.cuda and torch.backends.cudnn.is_available() else None
    return {
        "gpu": torch.cuda.get_device_name() if bench.cuda else platform.processor() or platform.machine(),
        "driver": driver_version() if bench.cuda else None,
        "torch": str(torch.__version__),
        "cuda": toolkit if bench.cuda else None,
        "cudnn": None if cudnn is None else str(cudnn),
        "device": bench.device.type,
    }


def measure_everything(bench: Bench, minutes: float, tiny: bool) -> Row:
    progress = Progress()
    facts = system(bench)
    progress.say(f"{facts['gpu']}, PyTorch {facts['torch']}, {bench.precision}, {minutes:g} min")
    skipped: List[Row] = []
    sections: List[Tuple[str, float, Sequence[Any], Callable[[Any, Bench], Row]]] = [
        # name, share of the time that has passed when it must end
        ("streaming", 0.05, streaming_cases(tiny), measure_streaming),
        ("gemm", 0.35, gemm_cases(bench.precision, has_fp8(bench), tiny), measure_gemm),
        ("attention", 0.50, attention_cases(tiny), measure_attention),
        ("blocks", 1.00, step_cases(tiny), measure_step),
    ]
    if bench.cuda:
        spin_up(bench, 2)
    rows = {}
    for name, share, cases, measure in sections:
        deadline = progress.start + 60 * minutes * share
        rows[name] = measure_all(name, cases, measure, bench, deadline, skipped, progress)
    if not rows["gemm"]:
        reason = next(row["reason"] for row in skipped if row["section"] == "gemm")
        stop(f"not one matrix multiplication could be measured ({reason}); nothing was written", 1)
    created = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    return {"format": "shardscope-measurements", "version": 1, **facts, "created": created,
            "gemm": rows["gemm"], "attention": rows["attention"], "streaming": rows["streaming"],
            "blocks": rows["blocks"], "skipped": skipped}


def write_whole(path: str, content: str) -> None:
    """Writes next to the target and renames: the file is there whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes files that nobody else may read
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def text_of(measured: Row) -> str:
    """JSON with one measurement a line."""
    fields = []
    for name, value in measured.items():
        if isinstance(value, list) and value:
            rows = ",\n".join("  " + json.dumps(row, allow_nan=False) for row in value)
            fields.append(f' {json.dumps(name)}: [\n{rows}\n ]')
        else:
            fields.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 24 * 60:
        raise argparse.ArgumentTypeError("more than 0 and less than a day is expected")
    return value


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures one GPU for Shardscope; writes one JSON file.")
    parser.add_argument("-o", "--output", default="measurements.json", metavar="FILE",
                        help="where the measurements go (default: %(default)s)")
    parser.add_argument("--minutes", type=positive, default=5.0, metavar="M",
                        help="about how long to measure; what there is no time for is left out "
                             "(default: %(default)g)")
    parser.add_argument("--tiny", action="store_true",
                        help="tiny shapes on the CPU, for a few seconds: shows that the script runs, "
                             "calibrates nothing")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < OLDEST_TORCH:
        stop(f"PyTorch {torch.__version__} is too old; 1.13 or newer is needed")
    folder = os.path.dirname(options.output) or "."
    # Found out now rather than after minutes of measuring.
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        stop(f"cannot write into {folder}; name another file with -o")
    if os.path.isdir(options.output):
        stop(f"{options.output} is a folder; name a file with -o")
    torch.manual_seed(0)
    try:
        measured = measure_everything(bench_of(options.tiny), options.minutes, options.tiny)
        write_whole(options.output, text_of(measured))
    except KeyboardInterrupt:
        stop("interrupted; nothing was written", 130)
    except (RuntimeError, OSError, ValueError) as error:
        stop(f"{type(error).__name__}: {error}; nothing was written", 1)
    print(f"measure_gpu: written to {options.output}; next: shardscope calibrate --measurements "
          f"{options.output} -o my-gpu.json", file=sys.stderr)


if __name__ == "__main__":
    main()
