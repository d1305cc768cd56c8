# cmake -DROOT=<source folder> -DINCLUDE=<include folder> -DCOMPILER=<c++> -DWORK=<folder>
#       -DBUDGET=<seconds> -P Umbrella.cmake
# tensorette.hpp includes every public header except tensor/xtensor.hpp, and a small program that
# includes it compiles within the budget; the best of a few runs counts.
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

# Compiles `source` and sets `seconds` to the processor time that it took, as the shell counts it: the
# clock on the wall depends on what else runs.
function(time_compilation seconds source)
  execute_process(COMMAND sh -c "\"$@\" && times" sh "${COMPILER}" -std=c++20 "-I${INCLUDE}"
                          -c "${source}" -o "${source}.o"
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  # The second line is about the commands that the shell ran; user time comes first.
  if(NOT result EQUAL 0 OR NOT output MATCHES "\n0m([0-9]+)\\.([0-9][0-9])[0-9]*s")
    message(FATAL_ERROR "${output}${errors}")
  endif()
  set(${seconds} "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/umbrella.cpp" "#include <tensorette/tensorette.hpp>
int main() { return tensorette::Shape{}.rank(); }
")
# The standard headers among ours, alone. On a slow machine ours may take as long again.
set(standard "")
foreach(header ${headers})
  file(STRINGS "${ROOT}/${header}" includes REGEX "^#include <[a-z_]+>$")
  list(APPEND standard ${includes})
endforeach()
list(REMOVE_DUPLICATES standard)
list(JOIN standard "\n" standard)
file(WRITE "${WORK}/standard.cpp" "${standard}\nint main() {}\n")

set(times "")
foreach(run RANGE 1 5)
  time_compilation(time "${WORK}/umbrella.cpp")
  list(APPEND times "${time} s")
  if(NOT time GREATER BUDGET)
    message("compiled in ${time} s, budget ${BUDGET} s")
    return()
  endif()
  time_compilation(standard_time "${WORK}/standard.cpp")
  string(REPLACE "." "" hundredths "${time}")
  string(REPLACE "." "" standard_hundredths "${standard_time}")
  math(EXPR limit "2 * ${standard_hundredths}")
  if(hundredths LESS limit)
    message("compiled in ${time} s, the standard headers alone in ${standard_time} s")
    return()
  endif()
endforeach()
list(JOIN times ", " times)
message(FATAL_ERROR "compiling took ${times}; the budget is ${BUDGET} s")
