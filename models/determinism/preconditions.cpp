#include "determinism/preconditions.h"

#include <exception>

#include "base/error.h"
#include "core/warp_context.h"

namespace heddle::determinism {

void Preconditions::broken(const std::string& rule, const std::string& where, const std::string& what) {
  faults_.raise(std::make_exception_ptr(base::Error(
      base::ExitCode::kInternal, where, "rule " + rule + " of deterministic execution does not hold: " + what,
      "results would depend on timing or be wrong: a bug in Heddle")));
}

std::string place_of(const core::LaunchContext& launch, base::Pc pc) { return launch.kernel->location(pc); }

}  // namespace heddle::determinism
