heddle_test(oracle_test
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/oracle/integer_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/float_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/memory_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/sync_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/half_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/extended_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/rounding_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/call_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/together_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/load_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/workloads_test.cpp
  LINK heddle_oracle heddle_workloads LABELS unit)
heddle_test(oracle_machine_code_test
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/integer_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/bits_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/float_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/conversion_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/memory_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/warp_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/workloads_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/load_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/model_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/oracle/machine_code/one_instruction.cpp ${CMAKE_CURRENT_SOURCE_DIR}/sass/data.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/sass/lowered_instruction.cpp ${CMAKE_CURRENT_SOURCE_DIR}/sass/random_instruction.cpp
  LINK heddle_oracle heddle_workloads LABELS unit)
