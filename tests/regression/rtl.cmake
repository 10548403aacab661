if(HEDDLE_RTL)
  heddle_test(rtl_gpu_test SYSTEMC
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/rtl_gpu_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
              LINK heddle_cli LABELS rtl TIMEOUT 300)
endif()
