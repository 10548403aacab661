// Third parties' word on transformed kernels: ptxas, where it is installed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace heddle::ssde_test {

[[nodiscard]] inline bool has_ptxas() { return !std::string(HEDDLE_PTXAS).empty(); }

/// What ptxas says of a text, which may call functions that it only declares (tx_begin); empty: it accepts it. `name` tells the temporary files of tests apart.
[[nodiscard]] inline std::string ptxas(const std::string& name, const std::string& text) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("heddle-ssde-" + name + ".ptx")).string();
  std::ofstream(path) << text;
  const std::string log = path + ".log";
  const std::string command = std::string("'") + HEDDLE_PTXAS +
                              "' --compile-only -arch=sm_75 -o /dev/null '" + path + "' > '" + log + "' 2>&1";
  const int status = std::system(command.c_str());
  std::stringstream said;
  said << std::ifstream(log).rdbuf();
  std::filesystem::remove(log);
  std::filesystem::remove(path);
  return status == 0 ? "" : "ptxas fails: " + said.str() + "\n" + text;
}

}  // namespace heddle::ssde_test
