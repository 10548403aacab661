heddle_test(simt_test SYSTEMC
  SOURCES simt/stack_test.cpp simt/stack_calls_test.cpp simt/stack_model.cpp simt/stack_likely_test.cpp
          simt/aware_test.cpp simt/aware_calls_test.cpp simt/aware_virtual_test.cpp
          simt/multi_path_test.cpp simt/multi_path_timing_test.cpp simt/protocol_test.cpp simt/tables_test.cpp
          simt/tables_random_test.cpp ${CMAKE_SOURCE_DIR}/tb/blocks/simt/walk_program.cpp
          simt/hanoi_golden_test.cpp simt/hanoi_barriers_test.cpp simt/hanoi_check_test.cpp simt/hanoi_test.cpp simt/hanoi_random_test.cpp
  LINK heddle_simt heddle_core
  LABELS unit)
