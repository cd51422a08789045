#!/usr/bin/env bash
# Makes a folder to be carried to a machine with a GPU, which needs a driver and the CUDA runtime and cuBLAS of the same
# major version, but no compiler, MPI, BLAS or Boost: ./gpu-check in it says what works there and how fast.
# Called by ./dev gpu-bundle, which has built what is named here: bundle.sh BUILD-FOLDER TO
set -euo pipefail

readonly build=$(readlink -f "$1")
readonly to=$2
readonly here=$(dirname "$(readlink -f "$0")")

readonly programs=(penstock penstock-bench penstock-bench-overlap penstock-bench-overlap-bare penstock-bench-parallel
                   penstock-bench-backward penstock-bench-matmul-bare)
readonly tests=(cuda_conformance_test cuda_kernels_test cuda_bodies_test cuda_device_test gpu_programs_test)

# What its own system has, or must have: the C library, the driver and CUDA.
is_of_the_system() { [[ $1 =~ ^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|cuda|cudart|cublas|cublasLt)\.so.*)$ ]]; }

# The libraries that files need, and those that these need.
copy_libraries() {
  local name path
  while read -r name path; do
    is_of_the_system "$name" || [[ -e $to/lib/$name ]] || cp -L "$path" "$to/lib/$name"
  done < <(for file in "$@"; do ldd "$file"; done | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u)
}

# Open MPI finds its plugins and texts below $OPAL_PREFIX, at the places they have below its prefix here.
copy_open_mpi() {
  local prefix folder
  prefix=$(ompi_info --path prefix | awk '{ print $2 }')
  for folder in $(ompi_info --path pkglibdir | awk '{ print $2 }') $(ompi_info --path pkgdatadir | awk '{ print $2 }'); do
    mkdir -p "$to/${folder#"$prefix"/}"
    cp -rL "$folder/." "$to/${folder#"$prefix"/}"
  done
  cp -L "$(command -v mpirun)" "$to/bin/mpirun"
  cp -L "$(command -v orted)" "$to/bin/orted"
  copy_libraries "$to/bin/mpirun" "$to/bin/orted" $(find "$to" -path '*openmpi*' -name '*.so')
}

rm -rf "$to"
mkdir -p "$to/bin" "$to/lib/penstock"
for program in "${programs[@]}"; do cp "$build/bin/$program" "$to/bin"; done
for test in "${tests[@]}"; do cp "$build/tests/cuda_emulator/$test" "$to/bin"; done
cp -P "$build"/lib/libpenstock.so* "$to/lib"
cp "$build/lib/penstock/libpenstock_cuda.so" "$to/lib/penstock"
copy_libraries "$to"/bin/* "$to"/lib/libpenstock.so "$to/lib/penstock/libpenstock_cuda.so"
copy_open_mpi
cp "$here/gpu-check" "$to"
