heddle_test(energy_regression_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/energy_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
