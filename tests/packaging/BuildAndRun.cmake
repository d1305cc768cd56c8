# cmake -DSOURCE=<project> -DBINARY=<fresh folder> -DOPTIONS=<option;...> -DPROGRAMS=<name;...>
#       [-DCONFIGURE_ERROR=<regex;...> | -DCONFIGURE_WARNING=<regex;...>] -P BuildAndRun.cmake
# Configures a project from nothing, builds it and runs its programs. With CONFIGURE_ERROR, configuring
# has to fail with a message that matches; with CONFIGURE_WARNING, to go through with one.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE "${BINARY}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BINARY}" ${OPTIONS}
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")

string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake wraps its messages
foreach(regex IN LISTS CONFIGURE_ERROR CONFIGURE_WARNING)
  if(NOT output MATCHES "${regex}")
    message(FATAL_ERROR "the message does not match: ${regex}")
  endif()
endforeach()
if(CONFIGURE_ERROR)
  if(result EQUAL 0)
    message(FATAL_ERROR "configuring went through; expected an error like: ${CONFIGURE_ERROR}")
  endif()
  return()
endif()

if(NOT result EQUAL 0)
  message(FATAL_ERROR "configuring failed")
endif()
if(PROGRAMS)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(program IN LISTS PROGRAMS)
  execute_process(COMMAND "${BINARY}/${program}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
