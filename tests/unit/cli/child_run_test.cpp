#include "cli/child_run.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

#include "base/error.h"
#include "cli/interrupt.h"

namespace heddle::cli {
namespace {

int raised_in_child = 0;

// Ctrl-C goes to all processes of a command, also to one that has been forked and not yet set its own handlers.
TEST(ChildRun, SignalRightBehindItsForkEndsItWithoutItsParentsHandler) {
  handle_signals();
  ::pthread_atfork(nullptr, nullptr, [] {
    if (raised_in_child != 0) ::raise(raised_in_child);
  });
  testing::internal::CaptureStderr();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    raised_in_child = number;
    try {
      (void)ChildRun([] { return nlohmann::ordered_json(1); }).result();
      ADD_FAILURE() << "the child has not noticed signal " << number;
    } catch (const base::Error& error) {
      EXPECT_TRUE(is_interrupt(error)) << error.message();
      EXPECT_EQ(static_cast<int>(error.code()), 128 + number);
    }
  }
  raised_in_child = 0;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the parent's handler has run in the child";
}

}  // namespace
}  // namespace heddle::cli
