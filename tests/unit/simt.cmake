heddle_test(simt_test SYSTEMC
  SOURCES simt/stack_test.cpp simt/stack_calls_test.cpp simt/stack_model.cpp simt/stack_likely_test.cpp simt/clocked_stack_test.cpp simt/clocked_splits_test.cpp
          simt/aware_test.cpp simt/aware_calls_test.cpp simt/aware_virtual_test.cpp
          simt/multi_path_test.cpp simt/multi_path_timing_test.cpp simt/protocol_test.cpp simt/tables_test.cpp
          simt/tables_random_test.cpp simt/table_steps_test.cpp
          simt/hanoi_golden_test.cpp simt/hanoi_barriers_test.cpp simt/hanoi_check_test.cpp simt/hanoi_test.cpp simt/hanoi_random_test.cpp
  LINK heddle_simt heddle_core heddle_walk
  LABELS unit)
# The stack's tests on its RTL twin, alone and in lockstep with the model.
if(HEDDLE_RTL)
  heddle_test(stack_twin_test SYSTEMC
    SOURCES simt/stack_test.cpp simt/stack_calls_test.cpp
    LINK heddle_stack_twins
    LABELS rtl)
endif()
