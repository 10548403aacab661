heddle_test(split_fifo_bench SYSTEMC NO_PCH SOURCES ${CMAKE_CURRENT_LIST_DIR}/split_fifo_bench.cpp LINK heddle_cosim LABELS rtl
            TIMEOUT 120)
