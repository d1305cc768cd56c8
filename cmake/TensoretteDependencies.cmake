# Looks up what the library, its tests and its programs stand on. Everything that is missing is named
# in one message, with the name of the Debian package that has it.
include_guard(DIRECTORY)

set(TENSORETTE_MISSING "")
set(TENSORETTE_MISSING_DEBIAN "")

# Notes that something is missing; configuring goes on, to find out what else is.
function(tensorette_note_missing text debian_package)
  list(APPEND TENSORETTE_MISSING "${text} (Debian: ${debian_package})")
  list(APPEND TENSORETTE_MISSING_DEBIAN "${debian_package}")
  set(TENSORETTE_MISSING "${TENSORETTE_MISSING}" PARENT_SCOPE)
  set(TENSORETTE_MISSING_DEBIAN "${TENSORETTE_MISSING_DEBIAN}" PARENT_SCOPE)
endfunction()

# tensorette_require(<package> TARGET <target> DEBIAN <package>
#                    [MINIMUM <version>] [BELOW <version>] [WHY <text>])
#
# A target that the including project already has is taken as it is. What is found here is made
# visible everywhere, because a static tensorette hands its link dependencies to targets in other
# directories.
function(tensorette_require package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET;DEBIAN;MINIMUM;BELOW;WHY" "")
  if(TARGET ${arg_TARGET})
    return()
  endif()
  find_package(${package} QUIET)

  set(wanted "${package}")
  if(arg_MINIMUM)
    string(APPEND wanted " >= ${arg_MINIMUM}")
  endif()
  if(arg_BELOW)
    string(APPEND wanted ", < ${arg_BELOW}")
  endif()
  set(version "${${package}_VERSION}")
  if(NOT ${package}_FOUND OR NOT TARGET ${arg_TARGET})
    tensorette_note_missing("${wanted}: not found" ${arg_DEBIAN})
  elseif((arg_MINIMUM AND version VERSION_LESS arg_MINIMUM)
         OR (arg_BELOW AND version VERSION_GREATER_EQUAL arg_BELOW))
    set(text "${wanted}: ${${package}_DIR} has ${version}")
    if(arg_WHY)
      string(APPEND text ", but ${arg_WHY}")
    endif()
    tensorette_note_missing("${text}" ${arg_DEBIAN})
  else()
    set_target_properties(${arg_TARGET} PROPERTIES IMPORTED_GLOBAL TRUE)
  endif()
  set(TENSORETTE_MISSING "${TENSORETTE_MISSING}" PARENT_SCOPE)
  set(TENSORETTE_MISSING_DEBIAN "${TENSORETTE_MISSING_DEBIAN}" PARENT_SCOPE)
  set(${package}_VERSION "${version}" PARENT_SCOPE)
endfunction()

tensorette_require(xtl TARGET xtl MINIMUM 0.7 DEBIAN xtl-dev)
tensorette_require(xsimd TARGET xsimd MINIMUM 8.1 DEBIAN libxsimd-dev)
tensorette_require(xtensor TARGET xtensor MINIMUM 0.24 BELOW 0.26 DEBIAN libxtensor-dev
                   WHY "its headers lie elsewhere from 0.26 on")
tensorette_require(fmt TARGET fmt::fmt MINIMUM 9.1 DEBIAN libfmt-dev)
tensorette_require(nlohmann_json TARGET nlohmann_json::nlohmann_json MINIMUM 3.11
                   DEBIAN nlohmann-json3-dev)
tensorette_require(ZLIB TARGET ZLIB::ZLIB DEBIAN zlib1g-dev)

# xtensor-blas is headers only. Its package would look for LAPACK, which nothing here calls.
find_path(XTENSOR_BLAS_INCLUDE_DIR xtensor-blas/xblas_config.hpp
          DOC "Directory that contains xtensor-blas/")
mark_as_advanced(XTENSOR_BLAS_INCLUDE_DIR)
if(NOT XTENSOR_BLAS_INCLUDE_DIR)
  tensorette_note_missing("xtensor-blas >= 0.20: not found" libxtensor-blas-dev)
endif()

find_package(CBLAS QUIET)
if(NOT CBLAS_FOUND)
  tensorette_note_missing("CBLAS: ${CBLAS_NOT_FOUND_REASON}" libopenblas-openmp-dev)
endif()

if(TENSORETTE_OPENMP)
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(NOT OpenMP_CXX_FOUND)
    message(STATUS "OpenMP not found: tensorette runs on one thread (clang on Debian: libomp-dev)")
  endif()
endif()

if(TENSORETTE_BUILD_EXAMPLES OR TENSORETTE_BUILD_BENCHMARKS)
  tensorette_require(CLI11 TARGET CLI11::CLI11 MINIMUM 2.1 DEBIAN libcli11-dev)
endif()
if(TENSORETTE_BUILD_EXAMPLES)
  tensorette_require(SentencePiece TARGET SentencePiece::SentencePiece
                     DEBIAN libsentencepiece-dev)
endif()
if(TENSORETTE_BUILD_TESTS)
  tensorette_require(Catch2 TARGET Catch2::Catch2WithMain MINIMUM 2.13 DEBIAN catch2)
endif()
if(TENSORETTE_BUILD_BENCHMARKS)
  tensorette_require(benchmark TARGET benchmark::benchmark DEBIAN libbenchmark-dev)
endif()

if(TENSORETTE_MISSING)
  list(JOIN TENSORETTE_MISSING "\n  " missing_lines)
  list(REMOVE_DUPLICATES TENSORETTE_MISSING_DEBIAN)
  list(JOIN TENSORETTE_MISSING_DEBIAN " " missing_packages)
  # For scripts that install what is missing.
  list(JOIN TENSORETTE_MISSING_DEBIAN "\n" missing_file)
  file(WRITE "${PROJECT_BINARY_DIR}/missing-packages.txt" "${missing_file}\n")
  message(FATAL_ERROR "tensorette needs packages that this machine does not have:\n"
                      "  ${missing_lines}\n"
                      "On Debian and Ubuntu: apt-get install ${missing_packages}\n"
                      "Elsewhere: install them and name their prefix in CMAKE_PREFIX_PATH.")
endif()
file(REMOVE "${PROJECT_BINARY_DIR}/missing-packages.txt")
if(CBLAS_IS_REFERENCE)
  # Where vectors are wide, the library multiplies large matrices itself: has_wide_vectors in
  # tensor/kernels/packed_gemm.hpp asks the same.
  include(CheckCXXSourceCompiles)
  if(TENSORETTE_NATIVE)
    set(CMAKE_REQUIRED_FLAGS -march=native)
  endif()
  unset(TENSORETTE_HAS_WIDE_VECTORS CACHE)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("
#if !defined(__AVX512F__) && !(defined(__AVX2__) && defined(__FMA__))
#error
#endif
int main() {}" TENSORETTE_HAS_WIDE_VECTORS)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_QUIET)
endif()
if(CBLAS_IS_REFERENCE AND NOT TENSORETTE_HAS_WIDE_VECTORS)
  message(WARNING "The only BLAS found is the reference implementation, ${CBLAS_LIBRARIES}: products \
of large matrices, which are left to it where the compiler may not use AVX2 with FMA, take more than \
ten times as long as with OpenBLAS (Debian: libopenblas-openmp-dev). CBLAS_LIBRARIES names another.")
  file(WRITE "${PROJECT_BINARY_DIR}/missing-packages.txt" "libopenblas-openmp-dev\n")
endif()
