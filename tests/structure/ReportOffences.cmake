# report_offences(<what is wrong> <offence>...): fails and names them, if there are any.
function(report_offences what)
  if(ARGN)
    list(JOIN ARGN "\n" lines)
    message("${lines}")  # CMake would wrap the lines of an error
    message(FATAL_ERROR "${what}")
  endif()
endfunction()
