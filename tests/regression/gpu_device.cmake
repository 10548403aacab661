heddle_test(gpu_device_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_device_test.cpp
            LINK heddle_cli LABELS regression)
heddle_test(isa_regression_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/isa_sync_test.cpp ${CMAKE_CURRENT_LIST_DIR}/isa_memory_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/isa_support.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
