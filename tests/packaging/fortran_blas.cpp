// A BLAS of which only the Fortran interface is there.
extern "C" void sgemm_(...) {}
