# cmake -DSOURCE=<file> -DINCLUDE=<include folder> -DCOMPILER=<c++> -DWORK=<folder to write in>
#       -DSECONDS=<processor time> -DMEGABYTES=<memory> -P CompileLimits.cmake
# A small program of a user compiles within these limits [E16]. They are limits of the process, which
# the system enforces: how busy the machine is makes no difference.
cmake_minimum_required(VERSION 3.20)
math(EXPR kilobytes "1024 * ${MEGABYTES}")
execute_process(
  COMMAND sh -c "ulimit -t ${SECONDS} && ulimit -v ${kilobytes} && exec \"$@\"" sh "${COMPILER}"
          -std=c++20 -O2 "-I${INCLUDE}" -c "${SOURCE}" -o "${WORK}/compile_limits.o"
  RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message("${errors}")
  message("takes more than ${SECONDS} s or ${MEGABYTES} MB: ${SOURCE}")
  message(FATAL_ERROR "a user's program is expensive to compile")
endif()
