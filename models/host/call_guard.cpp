#include "host/call_guard.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::host {

void CallGuard::refuse(const char* name, const char* other) const {
  if (called_back())
    throw base::InputError("host",
                           fmt::format("{}() is called from within {}() of the same device", name, other),
                           "Callbacks only look: do this when the call has returned.");
  throw base::InputError(
      "host",
      fmt::format("{}() is called while {}() of the same device is in progress in another thread", name,
                  other),
      "A device takes one call at a time: put a lock around it, or let one thread do all its calls.");
}

}  // namespace heddle::host
