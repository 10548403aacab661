heddle_test(sim_clock_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/sim_clock_test.cpp LINK heddle_sim SYSTEMC)
