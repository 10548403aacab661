// Files with machine code, and what the model needs to run it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

/// Whether the file holds machine code; one that cannot be read is left to who loads it.
[[nodiscard]] bool has_machine_code(const std::string& file);

/// Of a program whose fat binaries have no PTX: whether what runs there is code of Turing. Nothing: it has PTX, or no code that is known.
[[nodiscard]] std::optional<bool> code_alone_is_for_turing(const std::string& program,
                                                           unsigned compute_capability);

/// runtime.code=best: why the program's PTX runs. Empty: its machine code does, of Hopper on a machine of capability 90 and later, else of
/// Turing; all modules of the file have some, and all their kernels are executed.
[[nodiscard]] std::string why_ptx_is_best(const std::string& program, unsigned compute_capability);

/// KEY=VALUE for a run of the machine code of a file, or of the files of a folder, on a platform. They go before the user's own. On a
/// platform whose sub-cores fetch for themselves (core.fetch.unit) code of Hopper waits as its control codes say.
[[nodiscard]] std::vector<std::string> machine_code_settings(const std::string& place,
                                                             const std::string& platform);
/// Of code for Turing, or for Hopper.
[[nodiscard]] std::vector<std::string> machine_code_settings_for(bool turing, const std::string& platform);

}  // namespace heddle::cli
