# cmake -DROOT=<source folder> -DINCLUDE=<include folder> -DCOMPILER=<c++> -DWORK=<folder>
#       -DBUDGET=<seconds> -P Umbrella.cmake
# tensorette.hpp includes every public header except tensor/xtensor.hpp, and a small program that
# includes it compiles within the budget. Other programs may be busy, so the best of a few runs
# counts.
cmake_minimum_required(VERSION 3.20)
file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/tensor/*.hpp" "${ROOT}/autograd/*.hpp"
     "${ROOT}/nn/*.hpp")
list(FILTER headers EXCLUDE REGEX "/(kernels|detail)/")
list(REMOVE_ITEM headers tensor/xtensor.hpp)
file(READ "${ROOT}/tensorette.hpp" umbrella)
set(absent "")
foreach(header ${headers})
  string(FIND "${umbrella}" "#include <tensorette/${header}>" place)
  if(place EQUAL -1)
    list(APPEND absent "${header}")
  endif()
endforeach()
if(absent)
  list(JOIN absent ", " absent)
  message(FATAL_ERROR "tensorette.hpp does not include ${absent}")
endif()

file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/umbrella.cpp" "#include <tensorette/tensorette.hpp>
int main() { return tensorette::Shape{}.rank(); }
")
set(times "")
foreach(run RANGE 1 8)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E time "${COMPILER}" -std=c++20 "-I${INCLUDE}"
                          -c "${WORK}/umbrella.cpp" -o "${WORK}/umbrella.o"
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0 OR NOT output MATCHES "Elapsed time[^0-9]*([0-9.]+)")
    message(FATAL_ERROR "${output}${errors}")
  endif()
  list(APPEND times "${CMAKE_MATCH_1}")
  if(CMAKE_MATCH_1 LESS BUDGET)
    message("compiled in ${CMAKE_MATCH_1} s, budget ${BUDGET} s")
    return()
  endif()
endforeach()
list(JOIN times " s, " times)
message(FATAL_ERROR "compiling took ${times} s; the budget is ${BUDGET} s")
