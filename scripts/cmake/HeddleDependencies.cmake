# Finds everything Heddle links against. Debian 12 package names are in scripts/setup.

include(HeddleSystemC)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pegtl REQUIRED)
find_package(Boost REQUIRED) # Boost.Graph, headers only
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd) # fat binaries
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET GLOBAL liblz4)
find_package(SQLite3 REQUIRED) # results of many runs

if(HEDDLE_RTL)
  find_package(verilator REQUIRED HINTS $ENV{VERILATOR_ROOT} /usr/share/verilator)
  find_package(ZLIB REQUIRED) # waveforms
endif()

if(HEDDLE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()
