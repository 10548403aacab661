set(unit ${CMAKE_SOURCE_DIR}/tests/unit/simt)
heddle_test(simt_stack_bench SYSTEMC NO_PCH
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt_stack_bench.cpp ${CMAKE_CURRENT_LIST_DIR}/any_traffic.cpp
          ${CMAKE_CURRENT_LIST_DIR}/stack_kinds.cpp ${CMAKE_CURRENT_LIST_DIR}/stack_reference.cpp
          ${CMAKE_CURRENT_LIST_DIR}/stack_traffic.cpp
          ${unit}/stack_test.cpp ${unit}/stack_calls_test.cpp ${unit}/walk_program.cpp
  LINK heddle_cosim LABELS rtl TIMEOUT 120)
target_include_directories(simt_stack_bench PRIVATE ${unit})
