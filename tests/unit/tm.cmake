# Kilo TM: goldens of commit units, stacks and warps, and random transactions through commit units, with each rule of the
# protocol left out once.
heddle_test(kilo_golden_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/kilo_golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/ideal_memory_test.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/bf_array_test.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/intra_warp_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/tm/tx_stack_test.cpp
  LINK heddle_tm)
heddle_test(kilo_explorer_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/explorer_test.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/history_contract_test.cpp
  LINK heddle_tm)
