heddle_test(core_blocks_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/core/blocks_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core/fetch_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core/policies_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core/scheduler_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core/scoreboard_ports_test.cpp
  LINK heddle_core)
heddle_test(core_memory_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/core/accesses_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core/constant_cache_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core/l1d_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core/lsu_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core/lsu_formation_test.cpp ${CMAKE_CURRENT_LIST_DIR}/core/lsu_interposer_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core/registers_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/core/shared_memory_test.cpp
  LINK heddle_core SYSTEMC)
heddle_test(core_profile_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/core/profile_test.cpp LINK heddle_core SYSTEMC)
