// heddle run --device gpu|oracle: the same host program on a real GPU, or on the scalar oracle alone.
#pragma once

#include "base/error.h"
#include "cli/run.h"

namespace heddle::cli {

/// Runs on settings.device, which is not the model, reports, and writes --out, as run_job() does for the model.
[[nodiscard]] base::ExitCode run_on_device(const Job& job, const RunSettings& settings);

}  // namespace heddle::cli
