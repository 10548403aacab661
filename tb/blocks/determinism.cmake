# SystemC bench of deterministic commits.
heddle_test(commit_bench SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism/commit_bench.cpp LINK heddle_determinism
            LABELS bench TIMEOUT 120)
