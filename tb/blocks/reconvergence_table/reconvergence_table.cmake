heddle_test(reconvergence_table_bench SYSTEMC NO_PCH
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/reconvergence_table_bench.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/reconvergence_table_lockstep.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/reconvergence_table_traffic.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/reconvergence_table_users.cpp
                    ${CMAKE_SOURCE_DIR}/tests/unit/simt/walk_program.cpp
            LINK heddle_cosim LABELS rtl TIMEOUT 120)
# the branch unit as the core sees it, and programs for it
target_include_directories(reconvergence_table_bench PRIVATE ${CMAKE_SOURCE_DIR}/tests/unit)
