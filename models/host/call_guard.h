// One call at a time: what keeps several host threads, and callbacks, from being in one device at once.
#pragma once

#include <atomic>
#include <thread>

namespace heddle::host {

/// Refuses instead of waiting: a result must not depend on which thread happens to come first. A call that is
/// let in sees everything that earlier calls did, whatever their threads.
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
    CallGuard* guard_;  ///< nullptr: the call around this one ends it
  };

  /// Begins a call. `name` outlives the guard ("launch"). Throws base::InputError naming both calls if another
  /// one is in progress; nothing has been touched then.
  [[nodiscard]] Call enter(const char* name) {
    const char* other = nullptr;
    if (!inside_.compare_exchange_strong(other, name, std::memory_order_acquire)) refuse(name, other);
    thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return Call(this);
  }
  /// The same of a call that only looks: callbacks of a call in progress may do so.
  [[nodiscard]] Call look(const char* name) { return called_back() ? Call(nullptr) : enter(name); }

 private:
  /// This thread is inside: only it stores its own number.
  [[nodiscard]] bool called_back() const {
    return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  void leave() {
    thread_.store(std::thread::id{}, std::memory_order_relaxed);
    inside_.store(nullptr, std::memory_order_release);
  }
  [[noreturn]] void refuse(const char* name, const char* other) const;

  std::atomic<const char*> inside_{nullptr};  ///< name of the call in progress
  std::atomic<std::thread::id> thread_{};     ///< that it is in
};

}  // namespace heddle::host
