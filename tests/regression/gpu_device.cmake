heddle_test(gpu_device_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_device_test.cpp
            LINK heddle_cli LABELS regression)
