# SystemC benches of the memory side.
foreach(bench crossbar dram partition partition_unit memory_system)
  heddle_test(${bench}_bench SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory/${bench}_bench.cpp LINK heddle_memory
              LABELS bench TIMEOUT 120)
endforeach()
heddle_test(protocol_checker_bench SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/protocol_checker_bench.cpp
            LINK heddle_memory LABELS bench)
# Runs once, briefly, so that it cannot rot; its numbers are for people.
add_executable(memory_speed_bench ${CMAKE_CURRENT_LIST_DIR}/memory/memory_speed_bench.cpp)
target_link_libraries(memory_speed_bench PRIVATE heddle_memory nlohmann_json::nlohmann_json SystemC::systemc)
add_test(NAME memory_speed_bench COMMAND memory_speed_bench 1 3000)
set_tests_properties(memory_speed_bench PROPERTIES TIMEOUT 60 LABELS bench ENVIRONMENT SC_COPYRIGHT_MESSAGE=DISABLE)
