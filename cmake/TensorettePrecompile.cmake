# Compiling fast. Precompiled headers: what many sources include and others wrote is compiled once for
# each target.
# The project's own headers stay out, so that a source has to include what it uses of them; presets
# debug and lint compile without, and so see what a source misses of the rest.
include_guard(DIRECTORY)

# ccache stores what was compiled with a precompiled header only after it is told that it may be
# sloppy about it. Compiling nothing anew beats compiling fast.
if("${CMAKE_CXX_COMPILER_LAUNCHER};${CMAKE_CXX_COMPILER}" MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# tensorette_precompile(<target> [<header>...]): the usual standard headers, fmt, and those named.
function(tensorette_precompile target)
  target_precompile_headers(
    ${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory>
                      <numeric> <optional> <span> <sstream> <string> <utility> <vector>
                      <fmt/format.h> ${ARGN})
endfunction()

# tensorette_compile_together(<target> <name> <source>...): sources that spend most of their time on the
# same headers become one. Not where there are no precompiled headers, for the same reasons.
function(tensorette_compile_together target name)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
endfunction()
