# Kilo TM: goldens of commit units, stacks and warps, and random transactions through commit units, with each rule of the
# protocol left out once. The logs of warps are their own library.
heddle_test(tm_test SYSTEMC
  SOURCES tm/kilo_golden_test.cpp tm/ideal_memory_test.cpp tm/bf_array_test.cpp tm/intra_warp_test.cpp tm/tx_stack_test.cpp
          tm/explorer_test.cpp tm/history_contract_test.cpp
          warp_log/bloom_filter_test.cpp warp_log/log_layout_test.cpp
  LINK heddle_tm
  LABELS unit)
