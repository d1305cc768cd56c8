# Runs PROGRAM, with ARGUMENT if there is one, and compares what it prints with the file EXPECTED,
# numbers to two significant digits: the last ones depend on the instruction set. An empty file: the
# program only has to succeed.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENT} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${EXPECTED}" expected)
if(expected STREQUAL "")
  return()
endif()
foreach(text printed expected)
  string(REGEX REPLACE "([0-9]\\.[0-9])[0-9]*" "\\1" ${text} "${${text}}")
  string(REGEX REPLACE "[ \n]+" " " ${text} "${${text}}")
endforeach()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PAGE} shows\n${expected}\nthe program prints\n${printed}")
endif()
