heddle_test(simt_stack_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/simt_stack_test.cpp simt_stack_calls_test.cpp LINK heddle_simt heddle_core SYSTEMC)
