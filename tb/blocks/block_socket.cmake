add_executable(block_socket_bench ${CMAKE_CURRENT_LIST_DIR}/block_socket_bench.cpp)
target_link_libraries(block_socket_bench PRIVATE heddle_sim benchmark::benchmark)
# Runs once, briefly, so that it cannot rot; its numbers are for people.
add_test(NAME block_socket_bench COMMAND block_socket_bench --benchmark_min_time=0.01)
set_tests_properties(block_socket_bench PROPERTIES TIMEOUT 60 ENVIRONMENT SC_COPYRIGHT_MESSAGE=DISABLE)
