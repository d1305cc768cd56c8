# cmake -DROOT=<source folder> -P Layering.cmake
# Includes point one way only: nn -> autograd -> tensor. Fails with one line for each include against
# the arrows, and for each public header that shows a private one.
cmake_minimum_required(VERSION 3.20)
include("${CMAKE_CURRENT_LIST_DIR}/ReportOffences.cmake")
set(may_include_tensor tensor)
set(may_include_autograd tensor autograd)
set(may_include_nn tensor autograd nn)

set(offences "")
foreach(layer tensor autograd nn)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${layer}/*.hpp" "${ROOT}/${layer}/*.cpp")
  foreach(file ${files})
    file(STRINGS "${ROOT}/${file}" includes REGEX "^[ \t]*#[ \t]*include")
    foreach(include ${includes})
      if(include MATCHES "tensorette/([a-z_]+)/" AND NOT CMAKE_MATCH_1 IN_LIST may_include_${layer})
        list(APPEND offences "${file}: ${include}: ${layer} may not know ${CMAKE_MATCH_1}")
      elseif(include MATCHES "tensorette/tensorette.hpp")
        list(APPEND offences "${file}: ${include}: the umbrella header is for users")
      elseif(include MATCHES "\"")
        list(APPEND offences "${file}: ${include}: write <tensorette/...>")
      elseif(include MATCHES "/(kernels|detail)/" AND file MATCHES "\\.hpp$"
             AND NOT file MATCHES "/(kernels|detail)/")
        list(APPEND offences "${file}: ${include}: a public header shows a private one")
      endif()
    endforeach()
    # An exception from a destructor would end the program.
    file(STRINGS "${ROOT}/${file}" throwing REGEX "~[A-Za-z_]+\\(\\).*noexcept\\(false\\)")
    if(throwing)
      list(APPEND offences "${file}: a destructor may not throw")
    endif()
  endforeach()
endforeach()

report_offences("includes against the layers" ${offences})
