// Several host threads and one device, under the thread sanitizer where the compiler has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "host/allocation.h"
#include "host/call_guard.h"

namespace heddle::host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Uses its guard as devices do, on memory whose accesses are all visible to the sanitizer.
class SmallDevice {
 public:
  std::uint64_t allocate() {
    const auto call = guard_.enter("allocate");
    ++calls_;
    return table_.allocate(64, 64, "buffer");
  }
  void free(std::uint64_t address) {
    const auto call = guard_.enter("free");
    ++calls_;
    table_.free(address);
  }
  std::uint64_t calls() {
    const auto call = guard_.look("calls");
    return calls_;
  }
  template <class Callback>
  void launch(const Callback& callback) {
    const auto call = guard_.enter("launch");
    callback();
  }

 private:
  CallGuard guard_;
  AllocationTable table_;
  std::uint64_t calls_ = 0;
};

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(CallGuard, CallsOfAnotherThreadAreRefusedNamingBoth) {
  SmallDevice device;
  std::string answer, look;
  device.launch([&] {
    std::thread other([&] {
      answer = refusal([&] { (void)device.allocate(); });
      look = refusal([&] { (void)device.calls(); });
    });
    other.join();
  });
  EXPECT_THAT(answer, AllOf(HasSubstr("allocate() is called while launch()"), HasSubstr("another thread"),
                            HasSubstr("lock")));
  EXPECT_THAT(look, HasSubstr("calls() is called while launch()"));
  EXPECT_EQ(device.calls(), 0u) << "nothing was touched";
}

TEST(CallGuard, CallbacksLookAndNothingElse) {
  SmallDevice device;
  device.launch([&] {
    EXPECT_THAT(refusal([&] { device.launch([] {}); }), HasSubstr("launch() is called from within launch()"));
    EXPECT_EQ(device.calls(), 0u);
    EXPECT_THAT(refusal([&] { (void)device.allocate(); }), HasSubstr("from within launch()"))
        << "a look does not end the call around it";
  });
  (void)device.allocate();
}

TEST(CallGuard, ACallThatThrowsIsOver) {
  SmallDevice device;
  EXPECT_THROW(device.launch([] { throw 1; }), int);
  EXPECT_THROW(device.free(1), base::InputError);
  EXPECT_THAT(refusal([&] { device.launch([] {}); }), "not refused");
}

TEST(CallGuard, ThreadsInTurnSeeWhatTheOthersDid) {
  SmallDevice device;
  constexpr unsigned kThreads = 4, kCalls = 300;
  std::atomic<std::uint64_t> done{0}, refused{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (unsigned i = 0; i < kCalls;) {
        try {
          (void)device.allocate();
          ++i;
          done.fetch_add(1, std::memory_order_relaxed);
        } catch (const base::InputError&) {
          refused.fetch_add(1, std::memory_order_relaxed);
          std::this_thread::yield();
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kCalls);
  EXPECT_EQ(device.calls(), done) << refused << " calls were refused, and they count for nothing";
}

}  // namespace
}  // namespace heddle::host
