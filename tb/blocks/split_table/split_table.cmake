heddle_test(split_table_bench SYSTEMC NO_PCH
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/split_table_bench.cpp ${CMAKE_CURRENT_LIST_DIR}/split_table_golden.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/split_table_users.cpp
            LINK heddle_cosim LABELS rtl TIMEOUT 120)
# the branch unit as the core sees it
target_include_directories(split_table_bench PRIVATE ${CMAKE_SOURCE_DIR}/tests/unit)
