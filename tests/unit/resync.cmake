heddle_test(resync_golden_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync/golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/resync/block_program.cpp
  LINK heddle_resync)
heddle_test(resync_properties_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync/properties_test.cpp ${CMAKE_CURRENT_LIST_DIR}/resync/block_program.cpp
          ${CMAKE_CURRENT_LIST_DIR}/resync/random_traces.cpp
  LINK heddle_resync)
heddle_test(resync_traces_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync/traces_test.cpp ${CMAKE_CURRENT_LIST_DIR}/resync/block_program.cpp
          ${CMAKE_CURRENT_LIST_DIR}/resync/random_traces.cpp
  LINK heddle_resync)
heddle_test(resync_core_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync/core_test.cpp ${CMAKE_CURRENT_LIST_DIR}/resync/block_program.cpp
          ${CMAKE_CURRENT_LIST_DIR}/simt/walk_program.cpp
  LINK heddle_resync_core SYSTEMC)
if(TARGET heddle_resync_native AND TARGET native_kernels)
  heddle_test(resync_native_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync/native_test.cpp LINK heddle_resync_native TIMEOUT 120)
  target_compile_definitions(resync_native_test PRIVATE NATIVE_KERNELS="$<TARGET_FILE:native_kernels>"
                             NATIVE_KERNELS_MARKED="$<TARGET_FILE:native_kernels_gcc>"
                             NATIVE_PROGRAMS="$<TARGET_FILE:native_programs>")
  add_executable(native_programs resync/native_programs.cpp)
  target_compile_options(native_programs PRIVATE -O1 -fno-pie -Wall -Wextra -Werror)
  target_link_options(native_programs PRIVATE -static -no-pie)
  target_link_libraries(native_programs PRIVATE Threads::Threads)
  add_dependencies(resync_native_test native_kernels native_kernels_gcc native_programs)
endif()
