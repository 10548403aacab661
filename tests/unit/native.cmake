# Traces of programs of this machine.
if(TARGET heddle_native AND TARGET native_kernels)
  heddle_test(native_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/native/native_test.cpp LINK heddle_native TIMEOUT 120)
  target_compile_definitions(native_test PRIVATE NATIVE_KERNELS="$<TARGET_FILE:native_kernels>"
                             NATIVE_KERNELS_MARKED="$<TARGET_FILE:native_kernels_gcc>"
                             NATIVE_PROGRAMS="$<TARGET_FILE:native_programs>")
  add_executable(native_programs native/native_programs.cpp)
  target_compile_options(native_programs PRIVATE -O1 -fno-pie -Wall -Wextra -Werror)
  target_link_options(native_programs PRIVATE -static -no-pie)
  target_link_libraries(native_programs PRIVATE Threads::Threads)
  add_dependencies(native_test native_kernels native_kernels_gcc native_programs)
endif()
