# Kilo TM on the whole GPU: transactions, what breaks the contract, random transactional kernels against their replay.
if(TARGET heddle_gpu)
  heddle_library(heddle_tx_rig SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/rig.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/random_tx.cpp
    LINK heddle_gpu heddle_oracle)
  heddle_test(transactions_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/transactions_test.cpp
    LINK heddle_tx_rig LABELS regression TIMEOUT 300)
  heddle_test(tx_progress_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/progress_test.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/odd_kernels_test.cpp
    LINK heddle_tx_rig LABELS regression TIMEOUT 300)
  heddle_test(workloads_tx_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/workloads_tx_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
    LINK heddle_cli LABELS regression TIMEOUT 300)
  heddle_test(random_tx_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/random_tx_test.cpp
    LINK heddle_tx_rig LABELS regression TIMEOUT 600)
endif()
