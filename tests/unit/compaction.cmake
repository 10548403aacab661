heddle_test(compaction_golden_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compaction/tbc_golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/compaction/mechanisms_golden_test.cpp
  LINK heddle_compaction SYSTEMC)
heddle_test(compaction_units_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compaction/dwf_contract_test.cpp ${CMAKE_CURRENT_LIST_DIR}/compaction/tbc_contract_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/compaction/execution_index_test.cpp
  LINK heddle_compaction SYSTEMC)
