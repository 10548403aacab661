// heddle run --ptx and --cubin: a user's kernel with arguments from the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run.h"

namespace heddle::cli {

struct PtxRequest {
  std::string file;
  std::string machine_code_file;  ///< of --cubin
  bool machine_code = false;      ///< `file` is of --cubin
  std::string entry;
  std::string grid;
  std::string block;
  std::uint32_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::string> arguments;
  std::vector<std::string> buffers;   ///< NAME:SIZE[:FILL], for buffers that are not arguments
  std::vector<std::string> dumps;     ///< NAME=PATH
  std::vector<std::string> compares;  ///< NAME=PATH[,abs=X][,rel=Y][,type=TYPE]
  std::vector<std::string> prints;    ///< NAME[:COUNT[xTYPE]]
};

/// Checks everything that can be checked before the simulation; throws base::InputError naming the option.
[[nodiscard]] Job ptx_job(const PtxRequest& request);

}  // namespace heddle::cli
