# Finds a BLAS library with the C interface and proves by linking a call of cblas_sgemm that it has
# one: a library with the Fortran interface alone would fail only when programs are linked.
#
#   CBLAS::CBLAS             the target to link
#   CBLAS_LIBRARIES          what it links; set it to choose a library by hand
#   CBLAS_NOT_FOUND_REASON   what was looked at, when nothing fits
#   CBLAS_IS_REFERENCE       whether it is the reference implementation, which is made to be read and
#                            takes ten times as long; found only where nothing else is
#
# OpenBLAS comes first, its OpenMP flavour before the others: products called from inside an OpenMP
# region then share the caller's threads. BLA_VENDOR, when set, decides alone.
set(CBLAS_LIBRARIES "" CACHE STRING "Libraries of a BLAS with the C interface; empty: search")
mark_as_advanced(CBLAS_LIBRARIES)

# Sets `result` to whether a program that calls cblas_sgemm links with `libraries`.
function(_cblas_links result libraries)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/cblas_link_test.cpp")
  file(WRITE "${source}" "
extern \"C\" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*,
                            int, float, float*, int);
int main() {
  const float a = 2, b = 3;
  float c = 0;
  cblas_sgemm(101, 111, 111, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
  return c == 6 ? 0 : 1;
}
")
  unset(_cblas_link_test CACHE)
  try_compile(_cblas_link_test "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/cblas_link_test" "${source}"
              LINK_LIBRARIES ${libraries})
  set(${result} "${_cblas_link_test}" PARENT_SCOPE)
  unset(_cblas_link_test CACHE)
endfunction()

# Sets `result` to whether these are the reference BLAS: it has the plain names, which elsewhere lead
# to a library with a name of its own.
function(_cblas_is_reference result libraries)
  set(${result} OFF PARENT_SCOPE)
  foreach(library ${libraries})
    file(REAL_PATH "${library}" file)
    get_filename_component(name "${file}" NAME)
    if(NOT name MATCHES "^libc?blas[.0-9]" OR file MATCHES "openblas|atlas|blis|mkl")
      return()
    endif()
  endforeach()
  set(${result} ON PARENT_SCOPE)
endfunction()

# Looks for every library named and accepts them together.
function(_cblas_try)
  if(_cblas_found)
    return()
  endif()
  set(libraries "")
  foreach(name ${ARGN})
    unset(_cblas_library CACHE)
    # Flavours have names of their own (Fedora) or lie in folders of their own (Debian).
    if(name STREQUAL "openblas")
      find_library(_cblas_library NAMES openblaso openblas openblasp NAMES_PER_DIR
                   PATH_SUFFIXES openblas-openmp)
    else()
      find_library(_cblas_library NAMES ${name})
    endif()
    set(library "${_cblas_library}")
    unset(_cblas_library CACHE)
    if(NOT library)
      return()
    endif()
    list(APPEND libraries "${library}")
  endforeach()
  _cblas_accept("${libraries}")
  set(_cblas_found "${_cblas_found}" PARENT_SCOPE)
  set(_cblas_refused "${_cblas_refused}" PARENT_SCOPE)
endfunction()

# Takes `libraries` if they link, else remembers them as refused.
function(_cblas_accept libraries)
  _cblas_links(links "${libraries}")
  if(links)
    set(_cblas_found "${libraries}" PARENT_SCOPE)
  else()
    list(JOIN libraries " " names)
    list(APPEND _cblas_refused "${names}")
    set(_cblas_refused "${_cblas_refused}" PARENT_SCOPE)
  endif()
endfunction()

set(_cblas_found "")
set(_cblas_refused "")
set(_cblas_question "${CBLAS_LIBRARIES}|${BLA_VENDOR}|${CMAKE_PREFIX_PATH}")
if(DEFINED _CBLAS_ANSWER AND _cblas_question STREQUAL "${_CBLAS_QUESTION}")
  set(_cblas_found "${_CBLAS_ANSWER}")
elseif(CBLAS_LIBRARIES)
  _cblas_accept("${CBLAS_LIBRARIES}")
elseif(BLA_VENDOR)
  find_package(BLAS QUIET)
  if(BLAS_FOUND)
    _cblas_accept("${BLAS_LIBRARIES}")
  endif()
else()
  _cblas_try(openblas)
  _cblas_try(mkl_rt)
  _cblas_try(blis)
  _cblas_try(Accelerate)
  _cblas_try(blas)
  _cblas_try(cblas blas)
  _cblas_try(satlas)
endif()

if(_cblas_found)
  set(CBLAS_LIBRARIES "${_cblas_found}")
  _cblas_is_reference(CBLAS_IS_REFERENCE "${_cblas_found}")
  if(CBLAS_IS_REFERENCE)
    set(_cblas_question "")  # the next run looks again
  endif()
  set(_CBLAS_QUESTION "${_cblas_question}" CACHE INTERNAL "What the link test was asked")
  set(_CBLAS_ANSWER "${_cblas_found}" CACHE INTERNAL "Libraries that passed the link test")
  if(NOT TARGET CBLAS::CBLAS)
    add_library(CBLAS::CBLAS INTERFACE IMPORTED GLOBAL)
    set_target_properties(CBLAS::CBLAS PROPERTIES INTERFACE_LINK_LIBRARIES "${CBLAS_LIBRARIES}")
  endif()
elseif(_cblas_refused)
  list(JOIN _cblas_refused ", " _cblas_names)
  set(CBLAS_NOT_FOUND_REASON "a program that calls cblas_sgemm does not link with ${_cblas_names} \
(the Fortran interface alone is not enough) - install OpenBLAS or name a library in CBLAS_LIBRARIES")
else()
  set(CBLAS_NOT_FOUND_REASON "no BLAS library with the C interface (OpenBLAS, MKL, BLIS, reference \
CBLAS) found")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBLAS REQUIRED_VARS CBLAS_LIBRARIES _cblas_found
                                  REASON_FAILURE_MESSAGE "${CBLAS_NOT_FOUND_REASON}")
