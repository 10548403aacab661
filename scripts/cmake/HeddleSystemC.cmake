# SystemC as the target SystemC::systemc, usable from C++20. Also part of the installed package.

# Another project's package registry must not hijack the SystemC found here.
set(heddle_registry "${CMAKE_FIND_USE_PACKAGE_REGISTRY}")
set(CMAKE_FIND_USE_PACKAGE_REGISTRY OFF)
find_package(Threads REQUIRED)

find_package(SystemCLanguage CONFIG QUIET)
if(NOT TARGET SystemC::systemc)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.3)
  add_library(SystemC::systemc INTERFACE IMPORTED)
  target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
  # Debian's library was built as C++17 and exports a link-time check for exactly that standard.
  # Stating that standard to the headers satisfies the check while our code is C++20.
  target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()

# The wrong-standard link error is the most common build failure of SystemC projects, so it is checked here.
include(CheckCXXSourceCompiles)
include(CMakePushCheckState)
cmake_push_check_state(RESET)
set(CMAKE_REQUIRED_LIBRARIES SystemC::systemc)
set(CMAKE_REQUIRED_FLAGS "-std=c++20")
check_cxx_source_compiles("#include <systemc>
int sc_main(int, char**) { sc_core::sc_event e(\"e\"); return 0; }" HEDDLE_SYSTEMC_LINKS)
cmake_pop_check_state()
if(heddle_registry STREQUAL "")
  unset(CMAKE_FIND_USE_PACKAGE_REGISTRY)
else()
  set(CMAKE_FIND_USE_PACKAGE_REGISTRY "${heddle_registry}")
endif()
if(NOT HEDDLE_SYSTEMC_LINKS)
  message(FATAL_ERROR
    "SystemC was found but a C++20 program does not link against it.\n"
    "The library exports one symbol named after the C++ standard it was built with "
    "(nm -D libsystemc.so | c++filt | grep sc_api_version). Set SC_CPLUSPLUS on the imported "
    "target SystemC::systemc to that standard in HeddleSystemC.cmake "
    "(Debian 12: 201703L). Details: CMakeFiles/CMakeError.log in the build folder.")
endif()
