# Benches of the blocks with a twin, a folder each: model and RTL in lockstep.
if(NOT HEDDLE_RTL)
  return()
endif()
heddle_test(twin_bench SYSTEMC NO_PCH
  SOURCES reconvergence_table/reconvergence_table_bench.cpp reconvergence_table/reconvergence_table_lockstep.cpp
          reconvergence_table/reconvergence_table_traffic.cpp reconvergence_table/reconvergence_table_users.cpp
          split_table/split_table_bench.cpp split_table/split_table_golden.cpp split_table/split_table_users.cpp
          simt_stack/simt_stack_bench.cpp simt_stack/any_traffic.cpp simt_stack/stack_reference.cpp
          simt_stack/stack_traffic.cpp
          scoreboard/scoreboard_bench.cpp scoreboard/clocked_scoreboard_bench.cpp scoreboard/clocked_scoreboard_random_bench.cpp
          split_fifo/split_fifo_bench.cpp split_unit/split_unit_bench.cpp warp_scheduler/warp_scheduler_bench.cpp sib_table/sib_table_bench.cpp
          sib_table/clocked_sib_table_bench.cpp
  LINK heddle_cosim heddle_walk
  LABELS rtl TIMEOUT 120)
# The stacks on which the tests of the mechanism run (tests/unit/simt.cmake).
heddle_library(heddle_stack_twins SYSTEMC JSON SOURCES simt_stack/stack_kinds.cpp LINK heddle_cosim GTest::gtest)
# Verilator's headers come before SystemC's (pin_driver.h), whichever source is the first of a batch.
set_target_properties(twin_bench PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "#include <verilated.h>")
