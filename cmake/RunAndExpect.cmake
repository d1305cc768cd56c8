# cmake -DEXPECT=<regex>[;<regex>...] -P RunAndExpect.cmake -- <program> [<argument>...]
# Runs the program, shows its output, fails unless it exits with 0 and the output matches every regex.
cmake_minimum_required(VERSION 3.20)
set(command "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE errors ECHO_OUTPUT_VARIABLE ECHO_ERROR_VARIABLE)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "exit: ${result}")
endif()
foreach(regex IN LISTS EXPECT)
  if(NOT output MATCHES "${regex}")
    message(FATAL_ERROR "the output does not match: ${regex}")
  endif()
endforeach()
