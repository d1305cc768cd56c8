# Installs the library, the public headers and a CMake package that find_package(tensorette) finds.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tensorette")

foreach(layer tensor autograd nn)
  # kernels/ and detail/ are for the library's own sources.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${layer}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tensorette"
          FILES_MATCHING PATTERN "*.hpp"
          PATTERN kernels EXCLUDE
          PATTERN detail EXCLUDE)
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/tensorette.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tensorette")

install(TARGETS tensorette EXPORT tensoretteTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT tensoretteTargets NAMESPACE tensorette:: DESTINATION "${package_dir}")

if(TENSORETTE_OPENMP AND OpenMP_CXX_FOUND)
  set(TENSORETTE_LINKS_OPENMP ON)
else()
  set(TENSORETTE_LINKS_OPENMP OFF)
endif()
get_target_property(TENSORETTE_LIBRARY_TYPE tensorette TYPE)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tensoretteConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/tensoretteConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tensoretteConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tensoretteConfig.cmake"
              "${PROJECT_BINARY_DIR}/tensoretteConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindCBLAS.cmake"
        DESTINATION "${package_dir}")
