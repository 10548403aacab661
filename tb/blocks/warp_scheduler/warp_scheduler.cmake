heddle_test(warp_scheduler_bench SYSTEMC NO_PCH SOURCES ${CMAKE_CURRENT_LIST_DIR}/warp_scheduler_bench.cpp LINK heddle_cosim LABELS rtl
            TIMEOUT 120)
