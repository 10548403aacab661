heddle_test(spin_regression_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/spin_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(sync_statistics_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/sync_statistics_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
