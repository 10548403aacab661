# scripts/reproduce, against a command that stands for heddle, and once for real.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
set(reproduce_cases ${CMAKE_CURRENT_LIST_DIR}/reproduce_cases.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${reproduce_cases})
execute_process(COMMAND ${HEDDLE_PYTHON} -B ${reproduce_cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
foreach(name IN LISTS names)
  add_test(NAME reproduce.${name} COMMAND ${HEDDLE_PYTHON} -B ${reproduce_cases} ${name})
  set_tests_properties(reproduce.${name} PROPERTIES TIMEOUT 120 LABELS regression)
endforeach()
