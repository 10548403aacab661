heddle_test(z_buffer_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism/z_buffer_golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism/z_buffer_random_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/determinism/z_buffer_contract_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism/z_cache_test.cpp
  LINK heddle_determinism APART)
heddle_test(determinism_log_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism/log_test.cpp
  LINK heddle_determinism)
