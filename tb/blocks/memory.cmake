# SystemC benches of the memory side, with the commit units of determinism, and of the checker between its blocks.
heddle_test(memory_bench SYSTEMC
  SOURCES memory/crossbar_bench.cpp memory/dram_bench.cpp memory/partition_bench.cpp memory/partition_unit_bench.cpp
          memory/memory_system_bench.cpp protocol_checker_bench.cpp determinism/commit_bench.cpp
  LINK heddle_determinism heddle_memory
  LABELS bench TIMEOUT 120)
# Runs once, briefly, so that it cannot rot; its numbers are for people.
add_executable(memory_speed_bench ${CMAKE_CURRENT_LIST_DIR}/memory/memory_speed_bench.cpp)
target_link_libraries(memory_speed_bench PRIVATE heddle_isolated heddle_memory nlohmann_json::nlohmann_json SystemC::systemc)
heddle_precompile(memory_speed_bench SYSTEMC_JSON)
heddle_quick_link(memory_speed_bench)
add_test(NAME memory_speed_bench COMMAND memory_speed_bench 1 3000)
set_tests_properties(memory_speed_bench PROPERTIES TIMEOUT 60 LABELS bench ENVIRONMENT SC_COPYRIGHT_MESSAGE=DISABLE)
