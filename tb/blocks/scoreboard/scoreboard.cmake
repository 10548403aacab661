heddle_test(scoreboard_bench SYSTEMC NO_PCH APART SOURCES ${CMAKE_CURRENT_LIST_DIR}/scoreboard_bench.cpp
            ${CMAKE_CURRENT_LIST_DIR}/scoreboard_lockstep.cpp LINK heddle_cosim LABELS rtl TIMEOUT 120)
