#include "runtime/runtime.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "runtime/pools.h"
#include "runtime/protocol.h"

namespace heddle::runtime {
namespace {

Runtime& of_this_copy() {
  static Runtime& runtime = *new Runtime;  // NOLINT(cppcoreguidelines-owning-memory): outlives everything
  return runtime;
}

}  // namespace

/// For another copy of this library in the same program; null: its version is another.
HEDDLE_CUDA void* __cudaHeddleRuntime(std::uint32_t version, std::size_t bytes) {
  return version == kProtocolVersion && bytes == sizeof(Runtime) ? &of_this_copy() : nullptr;
}

/// A program that holds the static runtime and is linked to libcuda has two copies, the second below the driver interface; so has one
/// of libcudart.so.12. They use the first shared one's state, so that memory, streams and kernels of one are those of the other.
Runtime& Runtime::get() {
  static Runtime& runtime = []() -> Runtime& {
    const auto shared =
        reinterpret_cast<void* (*)(std::uint32_t, std::size_t)>(::dlsym(RTLD_DEFAULT, "__cudaHeddleRuntime"));
    void* const found = shared == nullptr ? nullptr : shared(kProtocolVersion, sizeof(Runtime));
    return found == nullptr ? of_this_copy() : *static_cast<Runtime*>(found);
  }();
  return runtime;
}

Code Runtime::open() {
  if (connection_.is_open()) return Code::kSuccess;
  std::string error;
  if (connection_.open(machine_, error)) {
    static const int registered = std::atexit([] { Runtime::get().connection_.finish(); });
    (void)registered;
    return Code::kSuccess;
  }
  say("cuda", error);
  sticky_ = Code::kInitialization;
  return sticky_;
}

double Runtime::now() const {
  const Stream* const stream = streams.current();
  return overlaps() && stream != nullptr ? std::max(now_, stream->done.ns) : now_;
}

void Runtime::advance(double ns, Engine engine) {
  if (Stream* const stream = streams.current(); overlaps() && stream != nullptr)
    timeline.take(stream->done, now_, ns, engine);
  else
    now_ += ns;
}

Connection::Answer Runtime::answer() {
  Connection::Answer answer = connection_.wait();
  if (answer.reply.sticky != 0) {
    if (answer.reply.code == Code::kDeviceLost && sticky_ == Code::kSuccess)
      say("cuda", "the process that simulates has ended");
    sticky_ = answer.reply.code;
  }
  return answer;
}

void Runtime::reset() {
  streams.wait_for_all(*this);
  streams.forget_captures();
  graphs = {};
  timeline = {};
  memory.forget();
  forget_pools();
  arrays.forget();
  modules.forget();
  connection_.close();
  sticky_ = Code::kSuccess;
  limits = kFirstLimits;
  deferred = Code::kSuccess;
}

Code& last_error() {
  thread_local Code code = Code::kSuccess;
  return code;
}

void say(const char* function, const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "heddle: %s: %s\n", function, text.c_str());
}

int refuse(const char* function, const char* instead) {
  {
    Runtime& runtime = Runtime::get();
    const std::unique_lock lock(runtime.mutex);
    static std::set<std::string> said;
    if (said.insert(function).second)
      say(function, std::string("this runtime does not have this function\n  ") + instead);
  }
  last_error() = Code::kNotSupported;
  return static_cast<int>(Code::kNotSupported);
}

}  // namespace heddle::runtime
