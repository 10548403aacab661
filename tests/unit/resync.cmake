heddle_test(resync_test
  SOURCES resync/golden_test.cpp resync/properties_test.cpp resync/traces_test.cpp resync/policies_test.cpp resync/block_program.cpp
          resync/random_traces.cpp
  LINK heddle_resync
  LABELS unit)
# As a mechanism of the core.
heddle_test(resync_core_test SYSTEMC
  SOURCES resync/core_test.cpp resync/block_program.cpp
  LINK heddle_resync_core heddle_walk
  LABELS unit)
