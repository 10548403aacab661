heddle_test(gpu_device_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_device_test.cpp ${CMAKE_CURRENT_LIST_DIR}/device_unload_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/own_mechanisms_test.cpp
                    ${CMAKE_SOURCE_DIR}/tb/examples/own_mechanisms/min_pc.cpp
            LINK heddle_cli LABELS regression)
heddle_test(isa_regression_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/isa_sync_test.cpp ${CMAKE_CURRENT_LIST_DIR}/isa_memory_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/isa_move_test.cpp ${CMAKE_CURRENT_LIST_DIR}/isa_support.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/isa_coverage_test.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
add_test(NAME isa_regression.coverage
         COMMAND isa_regression_test
                 --gtest_filter=-IsaSync.*IsAFault:IsaSync.*Says*:IsaSync.WarpBarrierChecks*)
set_tests_properties(isa_regression.coverage PROPERTIES LABELS regression TIMEOUT 300)
