# The heddle command from outside. Each case is a test of its own.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
set(cli_cases ${CMAKE_CURRENT_LIST_DIR}/cli_cases.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cli_cases})
execute_process(COMMAND ${HEDDLE_PYTHON} -B ${cli_cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
foreach(name IN LISTS names)
  add_test(NAME cli.${name} COMMAND ${HEDDLE_PYTHON} -B ${cli_cases} --heddle $<TARGET_FILE:heddle> ${name})
  set_tests_properties(cli.${name} PROPERTIES TIMEOUT 120 LABELS regression)
endforeach()
