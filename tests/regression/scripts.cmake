# The commands of scripts/ from outside. Each case is a test of its own.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
foreach(suite IN ITEMS scripts pages)
  set(cases ${CMAKE_CURRENT_LIST_DIR}/${suite}_cases.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cases})
  execute_process(COMMAND ${HEDDLE_PYTHON} -B ${cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" names "${names}")
  if(NOT HEDDLE_RTL)
    list(FILTER names EXCLUDE REGEX "^rtl_") # they ask for yosys first, or show what the RTL prints
  endif()
  foreach(name IN LISTS names)
    add_test(NAME ${suite}.${name} COMMAND ${HEDDLE_PYTHON} -B ${cases} ${name} --heddle $<TARGET_FILE:heddle>)
    heddle_time_limit(120 ${suite}.${name})
    set_tests_properties(${suite}.${name} PROPERTIES LABELS regression)
  endforeach()
endforeach()
