heddle_test(reconvergence_table_bench SYSTEMC NO_PCH
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/reconvergence_table_bench.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/reconvergence_table_lockstep.cpp
            LINK heddle_cosim LABELS rtl TIMEOUT 120)
