#include "cli/child_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <list>
#include <utility>

#include "cli/child_run.h"
#include "cli/interrupt.h"

namespace heddle::cli {
namespace {

using HostClock = std::chrono::steady_clock;
constexpr int kLookMs = 200;  ///< longest time between two looks at the limit and at signals

struct Running {
  std::size_t body = 0;
  HostClock::time_point began;
  ChildRun child;
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(HostClock::now() - began).count();
  }
};

ChildOutcome outcome_of(Running& running) {
  ChildOutcome outcome;
  try {
    outcome.result = running.child.result();
  } catch (const base::Error& error) {
    if (is_interrupt(error)) throw;
    outcome.error = error;
  }
  outcome.seconds = running.seconds();
  return outcome;
}

}  // namespace

void run_children(const std::vector<std::function<nlohmann::ordered_json()>>& bodies, std::size_t at_a_time,
                  double seconds, const std::function<void(std::size_t body, ChildOutcome)>& done) {
  std::list<Running> all;
  std::size_t next = 0;
  while (next < bodies.size() || !all.empty()) {
    stop_if_interrupted();
    while (next < bodies.size() && all.size() < std::max<std::size_t>(at_a_time, 1)) {
      all.push_back({next, HostClock::now(), ChildRun(bodies[next])});
      ++next;
    }
    std::vector<pollfd> files;
    for (const Running& running : all) files.push_back({running.child.descriptor(), POLLIN, 0});
    if (::poll(files.data(), files.size(), kLookMs) < 0 && errno != EINTR)
      throw base::Error(base::ExitCode::kInternal, "", "poll failed");
    std::size_t i = 0;
    for (auto it = all.begin(); it != all.end(); ++i) {
      if (files[i].revents != 0 && it->child.advance()) {
        done(it->body, outcome_of(*it));
        it = all.erase(it);
      } else if (it->seconds() > seconds) {
        ChildOutcome outcome;
        outcome.error.emplace(base::ExitCode::kCycleLimit, "",
                              fmt::format("not finished after {:.0f} s", seconds));
        outcome.seconds = it->seconds();
        done(it->body, std::move(outcome));
        it = all.erase(it);  // which ends it
      } else {
        ++it;
      }
    }
  }
}

}  // namespace heddle::cli
