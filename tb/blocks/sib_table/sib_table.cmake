heddle_test(sib_table_bench SYSTEMC NO_PCH SOURCES ${CMAKE_CURRENT_LIST_DIR}/sib_table_bench.cpp LINK heddle_cosim LABELS rtl
            TIMEOUT 120)
