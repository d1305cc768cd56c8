// The name and one function of the reference BLAS.
extern "C" void cblas_sgemm(...) {}
