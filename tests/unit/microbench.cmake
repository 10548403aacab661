heddle_test(microbench_parts_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/microbench/microbench_test.cpp LINK heddle_microbench)
