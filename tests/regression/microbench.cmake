heddle_test(microbench_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/microbench_test.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
