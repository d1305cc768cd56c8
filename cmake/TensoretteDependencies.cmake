# What the library stands on, looked up as installed packages.
find_package(xtl REQUIRED)
find_package(xsimd 8.1 REQUIRED)
find_package(xtensor 0.24 REQUIRED)
find_package(xtensor-blas REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(BLAS REQUIRED)
find_package(OpenMP COMPONENTS CXX)
