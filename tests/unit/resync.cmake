heddle_test(resync_test
  SOURCES resync/golden_test.cpp resync/properties_test.cpp resync/traces_test.cpp resync/policies_test.cpp resync/block_program.cpp
          resync/random_traces.cpp
  LINK heddle_resync
  LABELS unit)
# As a mechanism of the core.
heddle_test(resync_core_test SYSTEMC
  SOURCES resync/core_test.cpp resync/block_program.cpp simt/walk_program.cpp
  LINK heddle_resync_core
  LABELS unit)
if(TARGET heddle_native AND TARGET native_kernels)
  heddle_test(resync_native_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync/native_test.cpp LINK heddle_native TIMEOUT 120)
  target_compile_definitions(resync_native_test PRIVATE NATIVE_KERNELS="$<TARGET_FILE:native_kernels>"
                             NATIVE_KERNELS_MARKED="$<TARGET_FILE:native_kernels_gcc>"
                             NATIVE_PROGRAMS="$<TARGET_FILE:native_programs>")
  add_executable(native_programs resync/native_programs.cpp)
  target_compile_options(native_programs PRIVATE -O1 -fno-pie -Wall -Wextra -Werror)
  target_link_options(native_programs PRIVATE -static -no-pie)
  target_link_libraries(native_programs PRIVATE Threads::Threads)
  add_dependencies(resync_native_test native_kernels native_kernels_gcc native_programs)
endif()
