# The heddle command from outside. Each case is a test of its own.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
set(cli_cases ${CMAKE_CURRENT_LIST_DIR}/cli_cases.py)
file(GLOB cli_case_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cli_*.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cli_case_files})
execute_process(COMMAND ${HEDDLE_PYTHON} -B ${cli_cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
if(NOT HEDDLE_RTL)
  list(FILTER names EXCLUDE REGEX "^rtl_")
endif()
if(HEDDLE_SANITIZE)
  list(REMOVE_ITEM names runs_within_limited_addresses input_without_end_is_refused) # a sanitizer's shadow is terabytes of addresses
endif()
foreach(name IN LISTS names)
  add_test(NAME cli.${name} COMMAND ${HEDDLE_PYTHON} -B ${cli_cases} --heddle $<TARGET_FILE:heddle> ${name})
  heddle_time_limit(120 cli.${name})
  set_tests_properties(cli.${name} PROPERTIES LABELS regression SKIP_RETURN_CODE 77
                       ENVIRONMENT HEDDLE_TEST_STUB_DRIVER=$<TARGET_FILE:heddle_stub_driver>)
endforeach()
