# The one library target, tensorette::tensorette, made of the three layers.
file(GLOB_RECURSE TENSORETTE_SOURCES CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/tensor/*.cpp" "${PROJECT_SOURCE_DIR}/autograd/*.cpp"
     "${PROJECT_SOURCE_DIR}/nn/*.cpp")

# <tensorette/tensor/...> must resolve in the build tree as it does when installed.
set(TENSORETTE_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${TENSORETTE_INCLUDE_DIR}/tensorette")
foreach(layer tensor autograd nn tensorette.hpp)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${layer}"
       "${TENSORETTE_INCLUDE_DIR}/tensorette/${layer}" SYMBOLIC)
endforeach()

add_library(tensorette ${TENSORETTE_SOURCES})
add_library(tensorette::tensorette ALIAS tensorette)
target_compile_features(tensorette PUBLIC cxx_std_20)
target_include_directories(tensorette PUBLIC "$<BUILD_INTERFACE:${TENSORETTE_INCLUDE_DIR}>"
                                             "$<INSTALL_INTERFACE:include>")
target_link_libraries(tensorette PRIVATE xtensor xtensor-blas xsimd fmt::fmt
                                         nlohmann_json::nlohmann_json BLAS::BLAS)
if(OpenMP_CXX_FOUND)
  target_link_libraries(tensorette PRIVATE OpenMP::OpenMP_CXX)
endif()
target_compile_definitions(tensorette PRIVATE XTENSOR_USE_XSIMD)
if(TENSORETTE_NATIVE)
  target_compile_options(tensorette PRIVATE -march=native)
endif()

add_library(tensorette_warnings INTERFACE)
target_compile_options(tensorette_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(TENSORETTE_WERROR)
  target_compile_options(tensorette_warnings INTERFACE -Werror)
endif()
target_link_libraries(tensorette PRIVATE $<BUILD_INTERFACE:tensorette_warnings>)
