# The one library target, tensorette::tensorette, made of the three layers.
include(GNUInstallDirs)

file(GLOB_RECURSE TENSORETTE_SOURCES CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/tensor/*.cpp" "${PROJECT_SOURCE_DIR}/autograd/*.cpp"
     "${PROJECT_SOURCE_DIR}/nn/*.cpp")

# <tensorette/tensor/...> must resolve in the build tree as it does when installed.
set(TENSORETTE_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${TENSORETTE_INCLUDE_DIR}/tensorette")
foreach(entry tensor autograd nn tensorette.hpp)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${entry}"
       "${TENSORETTE_INCLUDE_DIR}/tensorette/${entry}" SYMBOLIC)
endforeach()

# The page of a trace is written as HTML, CSS and JavaScript and compiled in as text.
set(trace_page_dir "${PROJECT_SOURCE_DIR}/autograd/trace/page")
foreach(asset BODY:page.html STYLE:page.css LAYOUT:layout.js DETAILS:details.js GRAPH:graph.js
              PLAYER:player.js)
  string(REPLACE ":" ";" asset "${asset}")
  list(GET asset 0 variable)
  list(GET asset 1 file)
  file(READ "${trace_page_dir}/${file}" TRACE_PAGE_${variable})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${trace_page_dir}/${file}")
endforeach()
configure_file("${trace_page_dir}/assets.cpp.in" "${PROJECT_BINARY_DIR}/trace_page_assets.cpp" @ONLY)

add_library(tensorette ${TENSORETTE_SOURCES} "${PROJECT_BINARY_DIR}/trace_page_assets.cpp")
add_library(tensorette::tensorette ALIAS tensorette)
set_target_properties(tensorette PROPERTIES
                      VERSION ${PROJECT_VERSION}
                      CXX_EXTENSIONS OFF
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                      # So that a static tensorette can become part of a shared library.
                      POSITION_INDEPENDENT_CODE ON
                      # The BLAS may lie in a folder that the loader does not search.
                      INSTALL_RPATH_USE_LINK_PATH ON)
if(BUILD_SHARED_LIBS)
  # Also inside a project that hides its own symbols by default.
  set_target_properties(tensorette PROPERTIES CXX_VISIBILITY_PRESET default
                                              VISIBILITY_INLINES_HIDDEN OFF)
endif()

target_compile_features(tensorette PUBLIC cxx_std_20)
target_include_directories(tensorette
                           PUBLIC "$<BUILD_INTERFACE:${TENSORETTE_INCLUDE_DIR}>"
                                  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# What is compiled in, and so of no interest to whoever links the result ...
target_link_libraries(tensorette PRIVATE $<BUILD_INTERFACE:xtensor> $<BUILD_INTERFACE:xsimd>
                                         $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_include_directories(tensorette SYSTEM PRIVATE "${XTENSOR_BLAS_INCLUDE_DIR}")
target_compile_definitions(tensorette PRIVATE XTENSOR_USE_XSIMD)
# ... and what has to be linked with it.
target_link_libraries(tensorette PRIVATE CBLAS::CBLAS fmt::fmt ZLIB::ZLIB ${CMAKE_DL_LIBS})
if(TENSORETTE_OPENMP AND OpenMP_CXX_FOUND)
  target_link_libraries(tensorette PRIVATE OpenMP::OpenMP_CXX)
endif()

# Nothing here reads errno after a call of <cmath>, and without it sqrt is one instruction. Fusing
# a*b + c is left to the kernels that ask for it: otherwise the compiler would decide differently in
# the vectorised body of a loop and in its remainder, and an element's value would depend on where
# in the tensor it stands. -ffast-math is out: NaN and infinity have meaning here.
target_compile_options(tensorette PRIVATE -fno-math-errno -ffp-contract=off)
# A program that is linked with --gc-sections keeps only what it calls.
target_compile_options(tensorette PRIVATE -ffunction-sections -fdata-sections)
if(TENSORETTE_NATIVE)
  target_compile_options(tensorette PRIVATE -march=native)
endif()

# Warnings are for this project's own targets and never reach those that link the library.
add_library(tensorette_warnings INTERFACE)
target_compile_options(
  tensorette_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
            # GCC 12 finds fault with its own AVX-512 headers (GCC bug 105593); clang watches over this.
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-uninitialized;-Wno-maybe-uninitialized>
            # An exception that leaves a destructor ends the program: never build one that can.
            $<IF:$<CXX_COMPILER_ID:GNU>,-Werror=terminate,-Werror=exceptions>)
if(TENSORETTE_WERROR)
  target_compile_options(tensorette_warnings INTERFACE -Werror)
endif()
target_link_libraries(tensorette PRIVATE $<BUILD_INTERFACE:tensorette_warnings>)

tensorette_precompile(tensorette)

# Sanitizers reach everything that links the build tree's library: half of a program instrumented
# would not link.
if(TENSORETTE_SANITIZE)
  target_compile_options(tensorette PUBLIC $<BUILD_INTERFACE:-fsanitize=${TENSORETTE_SANITIZE}>
                                           $<BUILD_INTERFACE:-fno-omit-frame-pointer>
                                           $<BUILD_INTERFACE:-fno-sanitize-recover=all>)
  target_link_options(tensorette PUBLIC $<BUILD_INTERFACE:-fsanitize=${TENSORETTE_SANITIZE}>)
  # Programs and tests spend their time in the library. Optimizing what a sanitizer puts into them
  # takes several times as long as all else.
  set(TENSORETTE_SANITIZED_PROGRAM_OPTIONS -O0)
endif()
