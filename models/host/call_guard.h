// Serialises use of a device: keeps several host threads, and callbacks, from being inside it at once.
#pragma once

#include <atomic>
#include <thread>

namespace heddle::host {

/// Rejects a concurrent call instead of queueing it: a result must not depend on which thread comes first. An
/// accepted call sees the effects of all earlier calls, from any thread.
class CallGuard {
 public:
  /// A call in progress, until it is destroyed.
  class Call {
   public:
    explicit Call(CallGuard* guard) : guard_(guard) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      if (guard_ != nullptr) guard_->leave();
    }

   private:
    CallGuard* guard_;  ///< nullptr: the enclosing call ends it
  };

  /// Begins a call. `name` must outlive the guard ("launch"). Throws base::InputError naming both calls if
  /// another one is in progress, before anything is changed.
  [[nodiscard]] Call enter(const char* name) {
    const char* other = nullptr;
    if (!inside_.compare_exchange_strong(other, name, std::memory_order_acquire)) refuse(name, other);
    thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return Call(this);
  }
  /// The same for a read-only call: callbacks of a call in progress may make one.
  [[nodiscard]] Call look(const char* name) { return called_back() ? Call(nullptr) : enter(name); }

 private:
  /// Whether this thread is the one inside. Race-free: a thread only ever stores its own id.
  [[nodiscard]] bool called_back() const {
    return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  void leave() {
    thread_.store(std::thread::id{}, std::memory_order_relaxed);
    inside_.store(nullptr, std::memory_order_release);
  }
  [[noreturn]] void refuse(const char* name, const char* other) const;

  std::atomic<const char*> inside_{nullptr};  ///< name of the call in progress
  std::atomic<std::thread::id> thread_{};     ///< the thread that makes it
};

}  // namespace heddle::host
