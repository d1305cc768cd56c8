# Has PROGRAM write PAGE, puts DRIVER into it, opens it in BROWSER and reads the report that the driver
# leaves in the document. The page has to be smaller than 3 MB.
execute_process(COMMAND "${PROGRAM}" "${PAGE}" COMMAND_ERROR_IS_FATAL ANY)
file(SIZE "${PAGE}" size)
if(size GREATER_EQUAL 3000000)
  message(FATAL_ERROR "${PAGE} has ${size} bytes")
endif()

set(profile "${PAGE}.profile")
file(REMOVE_RECURSE "${profile}")
execute_process(COMMAND "${JOIN}" "${PAGE}" "${WATCH}" "${DRIVER}" "${PAGE}.driven.html"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${BROWSER}" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
          "--user-data-dir=${profile}" --window-size=1400,900 --virtual-time-budget=15000 --dump-dom
          "file://${PAGE}.driven.html"
  OUTPUT_VARIABLE document ERROR_VARIABLE messages RESULT_VARIABLE code TIMEOUT 240)
file(REMOVE_RECURSE "${profile}")
string(FIND "${document}" "<pre id=\"report\">" begin)
string(FIND "${document}" "end of report" end REVERSE)
if(begin EQUAL -1 OR end LESS begin)
  message(FATAL_ERROR "the page left no report; the browser ended with ${code}:\n${messages}")
endif()
math(EXPR length "${end} - ${begin}")
string(SUBSTRING "${document}" ${begin} ${length} report)
message("${report}${size} bytes")
if(report MATCHES "FAILED")
  message(FATAL_ERROR "the page does not do what it should")
endif()
