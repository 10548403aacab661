# Compile options shared by every target, and the one way to declare a library or a test.

add_library(heddle_options INTERFACE)
target_compile_options(heddle_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Werror
  # IEEE results: never contract a*b+c into an FMA that the kernel did not ask for.
  -ffp-contract=off
  # GCC 12 miscompiles loops with an early return in its path-splitting pass (seen in bfind).
  $<$<CXX_COMPILER_ID:GNU>:-fno-split-paths>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler collects garbage only from 1 GB on: a tenth of its time for a fifth more memory.
  target_compile_options(heddle_options INTERFACE --param=ggc-min-heapsize=1000000)
endif()
if(HEDDLE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 in <string>. Without precompiled headers they are suppressed, as in all system headers.
  target_compile_options(heddle_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                                                  -Wno-stringop-overread)
endif()
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR}/models
                                                    ${CMAKE_SOURCE_DIR}/platforms
                                                    ${CMAKE_SOURCE_DIR}/rtl
                                                    ${CMAKE_SOURCE_DIR}/tb
                                                    ${CMAKE_SOURCE_DIR}/tests)
if(HEDDLE_SANITIZE)
  target_compile_definitions(heddle_options INTERFACE HEDDLE_SANITIZE)
  target_compile_options(heddle_options INTERFACE -fsanitize=address,undefined
                                                  -fno-sanitize-recover=undefined
                                                  -fno-omit-frame-pointer)
  target_link_options(heddle_options INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC documents that sanitizers cause false positives of this warning (here: within <regex>).
    target_compile_options(heddle_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

if(HEDDLE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang OR NOT HEDDLE_SANITIZE)
    message(FATAL_ERROR "HEDDLE_FUZZ needs clang and HEDDLE_SANITIZE: use the preset fuzz")
  endif()
  target_compile_options(heddle_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# heddle_hot(TARGET): it simulates.
function(heddle_hot target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# heddle_not_hot(TARGET): its run time does not matter, its compile time does.
function(heddle_not_hot target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# heddle_quickly_compiled(TARGET): a test. Half of a unit's time is code that is hardly run. GCC documents that -Og causes
# false positives of the warning (here: within <regex>).
function(heddle_quickly_compiled target)
  heddle_not_hot(${target})
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Og;-Wno-maybe-uninitialized>")
endfunction()

# Headers of third-party libraries, precompiled once per kind of target. JSON's only where most sources use it:
# instantiating its parser costs every source a second of compile time, precompiled or not.
set(HEDDLE_PCH_BASE <algorithm> <array> <functional> <map> <memory> <optional> <span> <string> <vector>
                    <fmt/format.h>)
set(HEDDLE_PCH_SYSTEMC <systemc> <tlm> ${HEDDLE_PCH_BASE})
set(HEDDLE_PCH_SYSTEMC_JSON ${HEDDLE_PCH_SYSTEMC} <nlohmann/json.hpp>)
set(HEDDLE_PCH_TEST <gtest/gtest.h> <gmock/gmock.h> ${HEDDLE_PCH_BASE})
set(HEDDLE_PCH_SYSTEMC_TEST <systemc> <tlm> ${HEDDLE_PCH_TEST} <nlohmann/json.hpp>)

# heddle_precompile(TARGET KIND): KIND is one of the five. The target's compile options are those of heddle_options, and its
# optimisation that of its kind.
function(heddle_precompile target kind)
  if(NOT HEDDLE_PCH)
    return()
  endif()
  set(pch heddle_pch_${kind})
  if(NOT TARGET ${pch})
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${pch}.cpp CONTENT "")
    add_library(${pch} OBJECT ${CMAKE_BINARY_DIR}/${pch}.cpp)
    target_link_libraries(${pch} PRIVATE heddle_options fmt::fmt nlohmann_json::nlohmann_json)
    if(kind MATCHES SYSTEMC)
      target_link_libraries(${pch} PRIVATE SystemC::systemc)
    endif()
    # What is instantiated from a precompiled header is optimised as far as the header was. A header of -O1 in sources of -O2 makes
    # GCC 12 crash in its constant propagation.
    if(kind MATCHES TEST)
      target_link_libraries(${pch} PRIVATE GTest::gtest GTest::gmock)
      heddle_quickly_compiled(${pch})
    elseif(kind STREQUAL SYSTEMC)
      heddle_hot(${pch})
    endif()
    target_precompile_headers(${pch} PRIVATE ${HEDDLE_PCH_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()

# heddle_together(TARGET): several sources at a time are compiled as one. Headers are read and their
# templates instantiated once for all of them; in exchange they share one unnamed namespace. Sources that define the same
# name there fail to compile once they are in one batch: rename one of the names, or share the definition. Twenty take up
# to 1.8 GiB.
function(heddle_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEDDLE_UNITY} UNITY_BUILD_BATCH_SIZE 20)
endfunction()

# Release builds with GCC only.
set(HEDDLE_WHOLE_PROGRAMS OFF)
if(HEDDLE_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(HEDDLE_WHOLE_PROGRAMS ON)
endif()

# heddle_library(NAME SOURCES... [LINK libs...] [SYSTEMC [JSON]] [NO_PCH] [WHOLE_PROGRAM]): one folder, one static
# library. WHOLE_PROGRAM: its objects hold both machine code, which is all that heddle_quick_link looks at, and what
# heddle_whole_program optimises; so everything is compiled once.
# SYSTEMC, JSON: most of its sources include SystemC, JSON. NO_PCH: its includes need a particular order.
function(heddle_library name)
  cmake_parse_arguments(ARG "SYSTEMC;JSON;NO_PCH;WHOLE_PROGRAM" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  heddle_together(${name})
  target_link_libraries(${name} PUBLIC heddle_options ${ARG_LINK})
  if(ARG_SYSTEMC AND NOT ARG_JSON)
    heddle_hot(${name})
  endif()
  if(ARG_WHOLE_PROGRAM AND HEDDLE_WHOLE_PROGRAMS)
    target_compile_options(${name} PRIVATE -flto -ffat-lto-objects)
  endif()
  if(ARG_NO_PCH)
    return()
  elseif(ARG_JSON)
    heddle_precompile(${name} SYSTEMC_JSON)
  elseif(ARG_SYSTEMC)
    heddle_precompile(${name} SYSTEMC)
  else()
    heddle_precompile(${name} BASE)
  endif()
endfunction()

# heddle_sockets(LIBRARY SOURCE): the source that compiles the sockets of the library's protocols (sim/block_socket.h). What it
# compiles binds sockets while a machine is put together; calls are compiled where they are made.
function(heddle_sockets library source)
  target_sources(${library} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
endfunction()

# heddle_quick_link(EXECUTABLE): of the machine code as it is, and with mold where it is there, in a fifth of the time.
find_program(HEDDLE_MOLD NAMES mold)
function(heddle_quick_link executable)
  if(HEDDLE_WHOLE_PROGRAMS)
    target_link_options(${executable} PRIVATE -fno-use-linker-plugin)
  endif()
  if(HEDDLE_MOLD AND (CMAKE_CXX_COMPILER_ID MATCHES Clang OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1))
    target_link_options(${executable} PRIVATE -fuse-ld=mold)
  endif()
endfunction()

# heddle_whole_program(EXECUTABLE libraries...): link-time optimisation of these libraries, declared WHOLE_PROGRAM, in
# this executable. Blocks call each other through sockets, and the compiler sees the other side only in the whole
# program: this saves a tenth of the instructions of a simulated cycle.
function(heddle_whole_program executable)
  if(NOT HEDDLE_WHOLE_PROGRAMS)
    heddle_quick_link(${executable})
    return()
  endif()
  foreach(library ${ARGN})
    target_sources(${executable} PRIVATE $<TARGET_OBJECTS:${library}>)
  endforeach()
  target_link_options(${executable} PRIVATE -O3 -flto=auto)
endfunction()

# heddle_patience(VARIABLE): multiplies a time limit in seconds by five in sanitizer builds, which are slower.
macro(heddle_patience variable)
  if(HEDDLE_SANITIZE)
    math(EXPR ${variable} "5 * ${${variable}}")
  endif()
endmacro()

# heddle_time_limit(SECONDS TEST...): what may take long starts first, so that no long test is the last one to run.
function(heddle_time_limit seconds)
  set(cost ${seconds})
  heddle_patience(seconds)
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${seconds} COST ${cost})
endfunction()

# heddle_long_runs(VARIABLE PROGRAM): the lines of tests/long_runs.txt that begin with PROGRAM, as regular expressions.
function(heddle_long_runs variable program)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/long_runs.txt)
  file(STRINGS ${CMAKE_SOURCE_DIR}/tests/long_runs.txt lines REGEX "^${program}[\\]")
  list(TRANSFORM lines REPLACE "^.+$" "^(\\0)( |$)")
  set(${variable} ${lines} PARENT_SCOPE)
endfunction()

# heddle_label_long_runs(): at the end of a folder's CMakeLists. Programs of heddle_test have rules for their own.
function(heddle_label_long_runs)
  heddle_long_runs(long "[a-z_]+")
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(regex IN LISTS long)
    list(APPEND found ${tests})
    list(FILTER found INCLUDE REGEX "${regex}")
    if(found)
      set_property(TEST ${found} APPEND PROPERTY LABELS long)
    endif()
    set(found "")
  endforeach()
endfunction()

# heddle_test(NAME SOURCES... [LINK libs...] [LABELS ...] [TIMEOUT s] [SYSTEMC] [NO_PCH]): with SYSTEMC each TEST runs in
# a separate process (SystemC elaborates once per process). The other options are those of a library.
function(heddle_test name)
  cmake_parse_arguments(ARG "SYSTEMC;NO_PCH" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set(together "")
  if(ARG_SYSTEMC)
    set(together --each)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:heddle_test_main_systemc>)
    target_link_libraries(${name} PRIVATE heddle_options ${ARG_LINK} heddle_isolated heddle_base SystemC::systemc GTest::gtest GTest::gmock)
    if(NOT ARG_NO_PCH)
      heddle_precompile(${name} SYSTEMC_TEST)
    endif()
  else()
    target_link_libraries(${name} PRIVATE heddle_options ${ARG_LINK} GTest::gtest_main GTest::gmock)
    if(NOT ARG_NO_PCH)
      heddle_precompile(${name} TEST)
    endif()
  endif()
  heddle_together(${name})
  target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  heddle_quickly_compiled(${name})
  heddle_quick_link(${name})
  heddle_list_tests(${name} ${together})
  heddle_rule(${name} "" TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS})
  heddle_long_runs(long ${name})
  foreach(regex IN LISTS long)
    heddle_rule(${name} "${regex}" LABELS long)
  endforeach()
endfunction()

# heddle_list_tests(PROGRAM [--each]): for ctest, the tests of a program when it has been linked, by its rules (list_tests.py).
function(heddle_list_tests program)
  find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
  find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
  set(rules ${CMAKE_CURRENT_BINARY_DIR}/${program}.rules)
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${program}.tests.cmake)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}.include.cmake)
  set(script ${CMAKE_SOURCE_DIR}/scripts/cmake/list_tests.py)
  file(GENERATE OUTPUT ${rules} CONTENT "$<JOIN:$<TARGET_PROPERTY:${program},HEDDLE_RULES>,\n>\n")
  set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${rules} ${script})
  add_custom_command(TARGET ${program} POST_BUILD BYPRODUCTS ${tests} VERBATIM
                     COMMAND ${HEDDLE_PYTHON} -B ${script} ${ARGN} $<TARGET_FILE:${program}> ${program} ${rules} ${tests})
  file(WRITE ${include} "if(EXISTS \"${tests}\")
  include(\"${tests}\")
else()
  add_test(${program}_NOT_BUILT ${program}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()

# heddle_rule(PROGRAM REGEX [TIMEOUT s] [LABELS ...]): holds of the tests of a heddle_test whose names it finds.
function(heddle_rule program regex)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS" ${ARGN})
  set(cost ${ARG_TIMEOUT})
  if(ARG_TIMEOUT)
    heddle_patience(ARG_TIMEOUT)
  endif()
  list(JOIN ARG_LABELS "," labels)
  set_property(TARGET ${program} APPEND PROPERTY HEDDLE_RULES "${regex}\t${ARG_TIMEOUT}\t${cost}\t${labels}")
endfunction()

# heddle_suites(PROGRAM SUITES... [TIMEOUT s] [LABELS ...]): another time limit for these suites of a heddle_test, labels on top
# of its own.
function(heddle_suites program)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS" ${ARGN})
  list(JOIN ARG_UNPARSED_ARGUMENTS "|" suites)
  heddle_rule(${program} "^${program}\\.(.*/)?(${suites})\\." TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS})
endfunction()
