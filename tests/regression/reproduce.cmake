# scripts/reproduce, against a command that stands for heddle, and for real.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
set(reproduce_cases ${CMAKE_CURRENT_LIST_DIR}/reproduce_cases.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${reproduce_cases} ${CMAKE_CURRENT_LIST_DIR}/reproduce_spin_cases.py)
execute_process(COMMAND ${HEDDLE_PYTHON} -B ${reproduce_cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
foreach(name IN LISTS names)
  add_test(NAME reproduce.${name} COMMAND ${HEDDLE_PYTHON} -B ${reproduce_cases} ${name})
  heddle_time_limit(120 reproduce.${name})
  set_tests_properties(reproduce.${name} PROPERTIES LABELS regression)
endforeach()

# For real: every study on few workloads.
set(reproduce_aware HT CP-DS)
set(reproduce_bows HT)
set(reproduce_hanoi RBFS unstructured)
set(reproduce_multipath MAND K13)
set(reproduce_ssde HT BH-ST)
foreach(study aware bows hanoi multipath ssde)
  add_test(NAME reproduce.real_${study}
           COMMAND ${HEDDLE_PYTHON} -B ${CMAKE_SOURCE_DIR}/scripts/reproduce ${study} --quick --heddle
                   $<TARGET_FILE:heddle> --jobs 1 --workloads ${reproduce_${study}})
  heddle_time_limit(300 reproduce.real_${study})
  set_tests_properties(reproduce.real_${study} PROPERTIES LABELS regression FAIL_REGULAR_EXPRESSION
                       "WRONG RESULT;[|] hangs;error:")
endforeach()

foreach(compiler nvcc clang)
  add_test(NAME detection.${compiler} COMMAND ${HEDDLE_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/detection_cases.py --heddle
                                              $<TARGET_FILE:heddle> ${compiler})
  heddle_time_limit(120 detection.${compiler})
  set_tests_properties(detection.${compiler} PROPERTIES LABELS regression)
endforeach()
