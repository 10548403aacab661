# Compile options shared by every target, and the one way to declare a library or a test.

add_library(heddle_options INTERFACE)
target_compile_options(heddle_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Werror
  # IEEE results: never fuse a*b+c behind the kernel's back.
  -ffp-contract=off
  # GCC 12 miscompiles loops with an early return in its path-splitting pass (seen in bfind).
  $<$<CXX_COMPILER_ID:GNU>:-fno-split-paths>)
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/models
                                                    ${CMAKE_SOURCE_DIR}/platforms
                                                    ${CMAKE_SOURCE_DIR}/tb)
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_options INTERFACE -fsanitize=address,undefined
                                                  -fno-sanitize-recover=undefined
                                                  -fno-omit-frame-pointer)
  target_link_options(heddle_options INTERFACE -fsanitize=address,undefined)
endif()

if(HEDDLE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang OR NOT HEDDLE_SANITIZE)
    message(FATAL_ERROR "HEDDLE_FUZZ needs clang and HEDDLE_SANITIZE: use the preset fuzz")
  endif()
  target_compile_options(heddle_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# heddle_library(NAME SOURCES... [LINK libs...]): one folder, one static library.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC heddle_options ${ARG_LINK})
endfunction()

# heddle_whole_program(EXECUTABLE libraries...): link-time optimisation of these libraries in this executable. Blocks
# call each other through sockets, and only the whole program shows the compiler what is on the other side: a tenth
# of the instructions of a simulated cycle. Their sources are compiled once more for it, so that everything else
# (some forty test programs) links the ordinary archives without the longer link. Release builds with GCC only.
function(heddle_whole_program executable)
  if(NOT HEDDLE_LTO OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(sources)
  foreach(library ${ARGN})
    get_target_property(directory ${library} SOURCE_DIR)
    get_target_property(names ${library} SOURCES)
    list(TRANSFORM names PREPEND "${directory}/")
    list(APPEND sources ${names})
  endforeach()
  add_library(${executable}_whole OBJECT ${sources})
  target_link_libraries(${executable}_whole PRIVATE ${ARGN})
  target_compile_options(${executable}_whole PRIVATE -flto)
  target_link_libraries(${executable} PRIVATE ${executable}_whole)
  target_link_options(${executable} PRIVATE -O3 -flto=auto)
endfunction()

# heddle_test(NAME SOURCES... [LINK libs...] [LABELS ...] [TIMEOUT s] [SYSTEMC]): each TEST runs in
# a process of its own (SystemC elaborates once per process).
function(heddle_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(ARG_SYSTEMC)
    add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:heddle_test_main_systemc>)
    target_link_libraries(${name} PRIVATE heddle_options ${ARG_LINK} SystemC::systemc GTest::gtest GTest::gmock)
  else()
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE heddle_options ${ARG_LINK} GTest::gtest_main GTest::gmock)
  endif()
  target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set(properties TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT SC_COPYRIGHT_MESSAGE=DISABLE)
  if(ARG_LABELS)
    list(APPEND properties LABELS ${ARG_LABELS})
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
