// heddle cuda: a CUDA program as it is, on a simulated GPU. The program is a process of its own, linked to the runtime of
// platforms/runtime; each connection that it opens is served by a child of the command, which has a GPU of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/run.h"

namespace heddle::cli {

/// Large enough for programs.
inline constexpr const char* kDefaultProgramPlatform = "rtx2060";

struct CudaSettings {
  RunSettings run;                   ///< max_seconds is the program's limit, of host time
  std::vector<std::string> command;  ///< program and arguments
  bool check = false;                ///< a second time on the oracle, and compare
  bool quiet = false;                ///< no report on standard error
  int serve = -1;                    ///< a connected socket, of a program that has started the command itself
};

/// Where the runtime's libraries are: beside the command (installed, or in a build folder).
[[nodiscard]] std::string runtime_folder();

/// Runs the program and returns its exit code: `signal` adds 128. Throws base::Error for what the command itself cannot do.
[[nodiscard]] int run_cuda_program(const CudaSettings& settings);

/// Ends the name of a file with order notes (cli/order_notes.h), beside that of copies.
inline constexpr const char* kOrderNotes = "-order";

/// Serves one connection, to its end: simulates, reports, writes --out. `copies`: a file for what a check compares; empty: none.
[[nodiscard]] base::ExitCode serve_cuda_program(int socket, const CudaSettings& settings,
                                                const std::string& copies);

}  // namespace heddle::cli
