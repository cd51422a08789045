/// The functions of LAPACK that kernels call, by their Fortran names, which every LAPACK has; its C interface is a
/// library of its own, which many do without. Matrices are column-major; `length` is that of the text, which Fortran
/// compilers pass behind the other arguments. Each call computes on the calling thread alone, as blas.hpp sees to.
#pragma once

#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, std::size_t length);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t length);
}
// NOLINTEND(readability-identifier-naming)

namespace penstock::kernels {

/// Cholesky's factor in place of one triangle of the n by n matrix: 'L' or 'U' in column-major terms. Returns 0, or the
/// order of the first leading minor that is not positive.
inline int potrf(char uplo, int n, float* a) {
  int info = 0;
  spotrf_(&uplo, &n, a, &n, &info, 1);
  return info;
}
inline int potrf(char uplo, int n, double* a) {
  int info = 0;
  dpotrf_(&uplo, &n, a, &n, &info, 1);
  return info;
}

}  // namespace penstock::kernels
