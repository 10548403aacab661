# cmake -D NM=... -D LEVEL=v3 -D OBJECTS=a.o,b.o -P check_symbols.cmake
# Fails if object files built for an x86-64 level define anything but functions of their own namespace. A weak symbol
# (an inline function or template of a header) could replace the portable copy in the whole program.
string(REPLACE "," ";" objects "${OBJECTS}")
if(NOT objects)
  message(FATAL_ERROR "no object files given")
endif()
execute_process(COMMAND ${NM} --defined-only --extern-only --demangle ${objects}
                OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "${NM} failed")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${output}")
set(own 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^[0-9a-f]* T heddle::isa::lane::level_${LEVEL}::find")
    math(EXPR own "${own} + 1")
  elseif(line MATCHES "^[0-9a-f]+ ")
    message(SEND_ERROR "defined for all of the program: ${line}")
  endif()
endforeach()
if(own EQUAL 0)
  message(FATAL_ERROR "no functions of level_${LEVEL} found in ${OBJECTS}")
endif()
