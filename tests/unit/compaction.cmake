heddle_test(compaction_test SYSTEMC
  SOURCES compaction/tbc_golden_test.cpp compaction/mechanisms_golden_test.cpp compaction/dwf_contract_test.cpp
          compaction/tbc_contract_test.cpp compaction/execution_index_test.cpp
  LINK heddle_compaction
  LABELS unit)
