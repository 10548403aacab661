heddle_test(core_blocks_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/core_blocks_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core_scoreboard_ports_test.cpp
  LINK heddle_core)
heddle_test(core_memory_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/core_accesses_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core_constant_cache_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core_l1d_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core_lsu_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core_registers_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core_shared_memory_test.cpp
  LINK heddle_core SYSTEMC)
heddle_test(core_profile_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/core_profile_test.cpp LINK heddle_core SYSTEMC)
