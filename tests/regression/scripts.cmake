# The commands of scripts/ from outside. Each case is a test of its own.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
set(scripts_cases ${CMAKE_CURRENT_LIST_DIR}/scripts_cases.py)
file(GLOB scripts_case_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/scripts_*.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scripts_case_files})
execute_process(COMMAND ${HEDDLE_PYTHON} -B ${scripts_cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
if(NOT HEDDLE_RTL)
  list(FILTER names EXCLUDE REGEX "^rtl_") # they ask for yosys first, or show what the RTL prints
endif()
foreach(name IN LISTS names)
  add_test(NAME scripts.${name} COMMAND ${HEDDLE_PYTHON} -B ${scripts_cases} ${name} --heddle $<TARGET_FILE:heddle>)
  heddle_time_limit(120 scripts.${name})
  set_tests_properties(scripts.${name} PROPERTIES LABELS regression)
endforeach()

# The host's instructions of six kernels have not grown by more than 2 % since they were recorded for this compiler. For ctest -C slow -L slow.
add_test(NAME scripts.bench_instructions CONFIGURATIONS slow
         COMMAND ${HEDDLE_PYTHON} -B ${PROJECT_SOURCE_DIR}/scripts/bench --instructions --heddle $<TARGET_FILE:heddle>)
set_tests_properties(scripts.bench_instructions PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77 LABELS "regression;slow")

# Every workload with every timing contract, and that rtl/CONTRACTS.md says what they cost. For ctest -C slow -L slow.
if(HEDDLE_RTL)
  add_test(NAME scripts.contracts CONFIGURATIONS slow
           COMMAND ${HEDDLE_PYTHON} -B ${PROJECT_SOURCE_DIR}/scripts/contracts --stalls 1 --check --heddle $<TARGET_FILE:heddle>)
  set_tests_properties(scripts.contracts PROPERTIES TIMEOUT 7200 LABELS "rtl;regression;slow")
  # What the blocks are asked, as on their sheets.
  add_test(NAME scripts.requests CONFIGURATIONS slow
           COMMAND ${HEDDLE_PYTHON} -B ${PROJECT_SOURCE_DIR}/scripts/requests --check --heddle $<TARGET_FILE:heddle>)
  set_tests_properties(scripts.requests PROPERTIES TIMEOUT 3600 LABELS "rtl;regression;slow")
endif()
