#!/usr/bin/env python3
"""Checks the sources against the layer table that CMake writes: usage check_layers.py SOURCE_DIR LAYER_TABLE.

Reported, each as file:line: an include of a layer that DEPENDS does not name, a clock, thread, file or other effect in a
pure layer, a header of MPI, OpenMP, CUDA or hwloc outside its own folders, and a namespace that is not the folder's. Reported
too: a layer that the table of ARCHITECTURE.md leaves out, and a folder that is no layer.
"""

import dataclasses
import pathlib
import re
import sys

# Where the headers of a library, and the directives of OpenMP, may appear; folders below src/.
CONFINED = [
    ("MPI", re.compile(r"#\s*include\s*[<\"]mpi[\w-]*\.h"), ("transport/mpi", "bench")),
    ("OpenMP", re.compile(r"#\s*include\s*[<\"]omp[\w-]*\.h|#\s*pragma\s+omp\s+(?!simd)"), ("device/cpu", "bench")),
    ("CUDA", re.compile(r"#\s*include\s*[<\"](cu(da|blas|rand|solver|sparse|fft|pti)\w*[./]|nvml\.h|nvtx3/|nvrtc\.h|thrust/|cub/)"),
     ("device/cuda", "kernels", "bench")),
    ("hwloc", re.compile(r"#\s*include\s*[<\"]hwloc[./]"), ("device/cuda",)),
]

CONFINED_ANY = re.compile("|".join(pattern.pattern for _, pattern, _ in CONFINED))

PURE_HEADERS = {
    "atomic", "barrier", "condition_variable", "csignal", "cstdio", "filesystem", "fstream", "future", "iostream", "latch",
    "mutex", "semaphore", "shared_mutex", "stop_token", "thread",
    "dlfcn.h", "fcntl.h", "pthread.h", "sched.h", "signal.h", "stdio.h", "time.h", "unistd.h",
}
PURE_CALLS = re.compile(
    r"::now\s*\(|\brandom_device\b|\bthread_local\b|"
    r"(?<![.\w>])(?:getenv|setenv|rand|srand|clock|clock_gettime|gettimeofday|fopen|fprintf|printf|fwrite|fread|popen|"
    r"system|fork|usleep|nanosleep|sleep_for|sleep_until)\s*\(")
# An assertion that fails has to say so before it ends the process.
PURE_EXEMPT = {"core/assert.cpp"}

INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")
NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+([\w:]+)\s*\{")
CODE = {".hpp", ".cpp", ".cu", ".cuh"}


@dataclasses.dataclass
class Layer:
    pure: bool
    depends: list


def read_table(text):
    layers = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        head, _, depends = line.partition(":")
        name, kind = head.split()
        layers[name] = Layer(kind == "pure", depends.split())
    return layers


def without_comments(text):
    """The text with comments blanked out, lines kept; and the same with the inside of string literals blanked too."""
    token = re.compile(r"//[^\n]*|/\*.*?\*/|R\"([^(\s]*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
                       re.DOTALL)
    blank = lambda found: re.sub(r"[^\n]", " ", found)

    def comments_only(match):
        return blank(match.group()) if match.group().startswith(("//", "/*")) else match.group()

    return token.sub(comments_only, text), token.sub(lambda match: blank(match.group()), text)


def check_table(layers):
    seen = set()
    for name, layer in layers.items():
        for other in layer.depends:
            if other not in seen:
                yield f"layer {name}: depends on {other}, which does not come before it"
            elif layer.pure and not layers[other].pure:
                yield f"layer {name}: is pure but depends on {other}, which acts"
        seen.add(name)


def check_include(path, layer_name, layers, root):
    """A quoted include of a file in src/layer_name, or what is wrong with it."""
    other, _, rest = path.partition("/")
    if not rest or other not in layers:
        return f'"{path}" is not of the form "layer/file.hpp"'
    if not (root / "src" / path).is_file():
        return f'"{path}" does not exist'
    if other != layer_name and other not in layers[layer_name].depends:
        return f"layer {layer_name} includes {path}, but its DEPENDS does not name {other}"
    return None


def namespace_fits(name, layer_name, is_header):
    own = f"penstock::{layer_name}"
    if name == own or name.startswith(own + "::") or not name.startswith("penstock"):
        return True
    # The bodies of what include/penstock declares.
    return name in ("penstock", "penstock::detail") and (not is_header or layer_name == "runtime")


def check_namespaces(lines, layer_name, is_header):
    outer = 0
    for number, line in enumerate(lines, 1):
        match = NAMESPACE.match(line)
        if not match:
            continue
        name = match.group(1)
        outer += name.startswith("penstock")
        if not namespace_fits(name, layer_name, is_header):
            yield number, f"namespace {name} in layer {layer_name}"
    if not outer and not any(re.search(r"\bint\s+main\s*\(", line) for line in lines):
        yield 1, f"nothing is in namespace penstock::{layer_name}"


def check_file(root, file, layers):
    relative = file.relative_to(root / "src").as_posix()
    layer_name = relative.split("/")[0]
    layer = layers[layer_name]
    with_literals, code = (text.splitlines() for text in without_comments(file.read_text(encoding="utf-8")))
    for number, (line, bare) in enumerate(zip(with_literals, code), 1):
        include = INCLUDE.match(line)
        if include and include.group(1) == '"' and not CONFINED_ANY.search(line):
            problem = check_include(include.group(2), layer_name, layers, root)
            if problem:
                yield number, problem
        for library, pattern, folders in CONFINED:
            if pattern.search(line) and not relative.startswith(tuple(folder + "/" for folder in folders)):
                yield number, f"{library} appears outside {', '.join(folders)}"
        if layer.pure and relative not in PURE_EXEMPT:
            if include and include.group(2) in PURE_HEADERS:
                yield number, f"pure layer {layer_name} includes <{include.group(2)}>"
            call = PURE_CALLS.search(bare)
            if call:
                yield number, f"pure layer {layer_name} uses {call.group().rstrip(' (')}"
    yield from check_namespaces(code, layer_name, file.suffix in {".hpp", ".cuh"})


def check_public_headers(root):
    for file in sorted((root / "include").rglob("*.hpp")):
        text, _ = without_comments(file.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            include = INCLUDE.match(line)
            path = include.group(2) if include else ""
            if include and (include.group(1) == '"' or ("/" in path and not path.startswith("penstock/")) or path.endswith(".h")):
                yield f"{file.relative_to(root)}:{number}: a public header includes {path}, not only standard and public ones"


def check_architecture(root, layers):
    page = root / "ARCHITECTURE.md"
    if not page.is_file():
        return
    rows = set(re.findall(r"^\|\s*`?([\w-]+)/?`?\s*\|", page.read_text(encoding="utf-8"), re.MULTILINE))
    for name in layers:
        if name not in rows:
            yield f"ARCHITECTURE.md: the table has no row for layer {name}"


def check(root, layers):
    """Every violation, as a line of text."""
    problems = list(check_table(layers))
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        files = sorted(file for file in folder.rglob("*") if file.suffix in CODE)
        if files and folder.name not in layers:
            problems.append(f"src/{folder.name}: is no layer of CMake's table")
            continue
        for file in files:
            problems += [f"{file.relative_to(root)}:{number}: {text}" for number, text in check_file(root, file, layers)]
    problems += check_public_headers(root)
    problems += check_architecture(root, layers)
    return problems


def main(source_dir, table):
    layers = read_table(pathlib.Path(table).read_text(encoding="utf-8"))
    problems = check(pathlib.Path(source_dir), layers)
    print("\n".join(problems) if problems else f"{len(layers)} layers, nothing to report")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
