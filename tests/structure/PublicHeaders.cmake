# cmake -DROOT=<source folder> -DLAYER=<folder> -DINCLUDE=<include folder> -DCOMPILER=<c++>
#       -DWORK=<folder to write in> -P PublicHeaders.cmake
# Each public header of a layer compiles alone and brings in nothing but the standard library and the
# project's own headers; all of them bear function-like macros named min and max [F03].
# tensor/xtensor.hpp is the one that shows xtensor.
cmake_minimum_required(VERSION 3.20)
set(private "/(kernels|detail)/")
set(foreign "/(xtensor|xtensor-blas|xflens|xsimd|xtl|fmt|nlohmann|CLI)/|/(cblas|omp|zlib)[^/]*\\.h")

# Compiles `source`, shows what went wrong with `hint`, and lists the files that it includes.
function(compile_alone source depends_file hint)
  execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror
                          "-I${INCLUDE}" -MD -MF "${depends_file}" "${source}"
                  RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message("${errors}")
    message(FATAL_ERROR "${source} does not compile: ${hint}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/${LAYER}/*.hpp")
list(FILTER headers EXCLUDE REGEX "${private}")
list(REMOVE_ITEM headers tensor/xtensor.hpp)

set(offences "")
foreach(header ${headers})
  string(REPLACE "/" "_" name "${header}")
  file(WRITE "${WORK}/${name}.cpp" "#include <tensorette/${header}>\n")
  compile_alone("${WORK}/${name}.cpp" "${WORK}/${name}.d" "it has to include what it uses")
  file(READ "${WORK}/${name}.d" depends)
  string(REPLACE "${ROOT}" "" depends "${depends}")
  if(depends MATCHES "[^ \n]*(${foreign})[^ \n]*")
    list(APPEND offences "${header} brings in ${CMAKE_MATCH_0}")
  endif()
endforeach()
if(offences)
  list(JOIN offences "\n" offences)
  message(FATAL_ERROR "${offences}")
endif()

# A platform's header defines the macros after the standard headers and before ours.
file(GLOB_RECURSE all_headers "${ROOT}/tensor/*.hpp" "${ROOT}/autograd/*.hpp" "${ROOT}/nn/*.hpp")
set(standard "")
foreach(header ${all_headers})
  file(STRINGS "${header}" includes REGEX "^#include <[a-z_]+>$")
  list(APPEND standard ${includes})
endforeach()
list(REMOVE_DUPLICATES standard)
set(ours "")
foreach(header ${headers})
  list(APPEND ours "#include <tensorette/${header}>")
endforeach()
list(JOIN standard "\n" standard)
list(JOIN ours "\n" ours)
file(WRITE "${WORK}/min_max.cpp" "${standard}
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
${ours}
")
compile_alone("${WORK}/min_max.cpp" "${WORK}/min_max.d"
              "write (max)(...) where macros named max and min would be expanded")
