heddle_test(oracle_test
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/oracle_integer_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle_float_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle_memory_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle_sync_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle_half_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle_extended_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle_call_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle_together_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle_load_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle_workloads_test.cpp
  LINK heddle_oracle heddle_workloads LABELS unit)
