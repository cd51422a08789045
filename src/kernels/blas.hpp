/// The BLAS library that was linked, whichever it is.
#pragma once

namespace penstock::kernels {

/// Tells BLAS to compute each call on the calling thread alone: the workers are all the threads there are. To be called
/// before the first task; the setting is one per process. Not for concurrent use.
void blas_use_one_thread();

}  // namespace penstock::kernels
