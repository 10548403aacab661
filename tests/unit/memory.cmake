# Plain models of the memory side. heddle_memory links SystemC, whose library holds main(): hence SYSTEMC.
heddle_test(memory_test SYSTEMC
  SOURCES memory/basics_test.cpp memory/sparse_memory_test.cpp memory/crossbar_direction_test.cpp memory/virtual_output_queues_test.cpp
          memory/l2_slice_test.cpp memory/request_coalescer_test.cpp memory/request_times_test.cpp memory/l2_banks_test.cpp memory/l2_halves_test.cpp memory/l2_atomic_test.cpp memory/l2_random_test.cpp
          memory/dram_scheduler_test.cpp memory/dram_timing_test.cpp memory/dram_random_test.cpp memory/dram_policies_test.cpp
  LINK heddle_memory
  LABELS unit)
