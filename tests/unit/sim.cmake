heddle_test(sim_clock_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/sim/clock_test.cpp ${CMAKE_CURRENT_LIST_DIR}/base/host_heap_test.cpp LINK heddle_sim SYSTEMC)
