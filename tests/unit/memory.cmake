# Plain models of the memory side. heddle_memory links SystemC, whose library holds main(): hence SYSTEMC.
heddle_test(memory_basics_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory/basics_test.cpp LINK heddle_memory)
heddle_test(memory_crossbar_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory/crossbar_direction_test.cpp
            LINK heddle_memory)
heddle_test(memory_l2_slice_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory/l2_slice_test.cpp ${CMAKE_CURRENT_LIST_DIR}/memory/l2_banks_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/memory/l2_atomic_test.cpp ${CMAKE_CURRENT_LIST_DIR}/memory/l2_random_test.cpp
            LINK heddle_memory)
heddle_test(memory_dram_scheduler_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory/dram_scheduler_test.cpp ${CMAKE_CURRENT_LIST_DIR}/memory/dram_timing_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/memory/dram_random_test.cpp
            LINK heddle_memory)
