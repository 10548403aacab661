#include "cli/temporaries.h"

#include <unistd.h>

#include <array>
#include <atomic>

namespace heddle::cli {
namespace {

constexpr std::size_t kMostTemporaries = 256;  ///< registered at once; further ones are not registered

// A signal handler reads this, so it is an array of lock-free pointers instead of a container.
std::array<std::atomic<const char*>, kMostTemporaries> registered;
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

Temporary::Temporary(std::string path) : path_(std::move(path)) {
  while (slot_ < registered.size() && registered[slot_].load() != nullptr) ++slot_;
  if (slot_ < registered.size()) registered[slot_].store(path_.c_str());
}

Temporary::~Temporary() {
  if (slot_ < registered.size()) registered[slot_].store(nullptr);
}

void remove_temporaries() noexcept {
  // In reverse order: a folder is empty once its contents are removed.
  for (auto name = registered.rbegin(); name != registered.rend(); ++name)
    if (const char* path = name->load(); path != nullptr && ::unlink(path) != 0) ::rmdir(path);
}

}  // namespace heddle::cli
