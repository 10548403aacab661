# Of several threads, with the parts that they share: the libraries are not built for the thread sanitizer.
heddle_test(host_threads_test NO_PCH
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/host/threads_test.cpp ${CMAKE_SOURCE_DIR}/models/host/allocation.cpp ${CMAKE_SOURCE_DIR}/models/host/device_heap.cpp
                    ${CMAKE_SOURCE_DIR}/models/host/call_guard.cpp
            LINK fmt::fmt)
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
check_cxx_source_compiles("int main() { return 0; }" HEDDLE_HAS_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)
if(HEDDLE_HAS_THREAD_SANITIZER AND NOT HEDDLE_SANITIZE AND NOT HEDDLE_FUZZ)
  target_compile_options(host_threads_test PRIVATE -fsanitize=thread)
  target_link_options(host_threads_test PRIVATE -fsanitize=thread)
endif()
