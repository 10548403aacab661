heddle_test(simt_stack_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt/stack_test.cpp simt/stack_calls_test.cpp simt/stack_model.cpp LINK heddle_simt heddle_core SYSTEMC)
heddle_test(simt_stack_likely_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt/stack_likely_test.cpp LINK heddle_simt heddle_core SYSTEMC)
heddle_test(simt_tables_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt/aware_test.cpp ${CMAKE_CURRENT_LIST_DIR}/simt/aware_calls_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/simt/aware_virtual_test.cpp ${CMAKE_CURRENT_LIST_DIR}/simt/multi_path_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/simt/multi_path_timing_test.cpp ${CMAKE_CURRENT_LIST_DIR}/simt/protocol_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/simt/tables_test.cpp
  LINK heddle_simt heddle_core SYSTEMC)
heddle_test(simt_tables_random_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt/tables_random_test.cpp ${CMAKE_CURRENT_LIST_DIR}/simt/walk_program.cpp
  LINK heddle_simt SYSTEMC)
heddle_test(sim_twins_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/sim/twins_test.cpp LINK heddle_simt SYSTEMC)
heddle_test(simt_hanoi_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt/hanoi_golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/simt/hanoi_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/simt/hanoi_random_test.cpp
  LINK heddle_simt heddle_core SYSTEMC)
