// Launches that the program leaves until it waits (runtime.concurrent_streams).
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "host/concurrent.h"
#include "runtime/session/session.h"

namespace heddle::runtime {

host::QueuedLaunch Session::launch_of(const Request& request, std::span<const std::byte> arguments) const {
  const Kernel& kernel = kernels_.at(request.arguments[0]);
  if (settings_.on_launch) settings_.on_launch(*kernel.code);
  const auto number = [&](int i) { return static_cast<std::uint32_t>(request.arguments[i]); };
  host::QueuedLaunch launch;
  launch.module = kernel.module;
  launch.kernel = kernel.name;
  launch.shape = {{number(1), number(2), number(3)},
                  {number(4), number(5), number(6)},
                  number(7),
                  request.arguments[8] != 0};
  std::size_t at = 0;
  for (const isa::Param& each : kernel.code->params) {
    const auto piece = arguments.subspan(at, each.bytes);
    launch.args.add_bytes({piece.begin(), piece.end()});
    at += each.bytes;
  }
  return launch;
}

void Session::queue(const Request& request, std::span<const std::byte> payload, Reply& reply) {
  QueuedHeader header;
  std::memcpy(&header, payload.data(), sizeof header);
  std::vector<std::uint64_t> after(header.after);
  std::memcpy(after.data(), payload.data() + sizeof header, after.size() * sizeof after[0]);
  Queued queued{launch_of(request, payload.subspan(sizeof header + after.size() * sizeof after[0])),
                next_queued_};
  const Kernel& kernel = kernels_.at(request.arguments[0]);
  if (!fits(kernel, queued.launch.shape, reply)) {
    if (refused_.size() < kRefusedKept) refused_.push_back(kernel.name + " was given a wrong shape");
    refuse_shape(kernel, queued.launch.shape, reply.code);
  }
  queued.launch.ready_ns = header.ready_ns;
  queued.launch.behind_ns = settings_.launch_ns;
  for (std::size_t i = 0; i < queue_.size(); ++i)
    if (std::ranges::count(after, queue_[i].number) != 0) queued.launch.after.push_back(i);
  reply.values[0] = next_queued_++;
  queue_.push_back(std::move(queued));
}

/// One after another, where the device does not take them together.
std::vector<FinishedLaunch> Session::run_in_order(double origin) {
  std::vector<FinishedLaunch> finished;
  for (const Queued& each : queue_) {
    const host::QueuedLaunch& launch = each.launch;
    double begin = std::max(origin, launch.ready_ns);
    for (const std::size_t before : launch.after)
      begin = std::max(begin, finished[before].end_ns + launch.behind_ns);
    FinishedLaunch& now = finished.emplace_back();
    now.number = each.number;
    now.begin_ns = now.end_ns = begin;
    last_ns_ = 0;
    try {
      device_->launch(launch.module, launch.kernel, launch.shape, launch.args);
      nested_ns_ = last_ns_;
      launch_nested(launch.module, 1);
      now.end_ns = origin = begin + nested_ns_;
    } catch (const base::InputError& error) {
      if (refused_.size() < kRefusedKept) refused_.emplace_back(error.what());
      now.code = Code::kLaunchOutOfResources;
      message_ += std::string("heddle: ") + error.what() + "\n";
    }
  }
  return finished;
}

std::vector<FinishedLaunch> Session::run_queue(double free_from) {
  if (queue_.empty()) return {};
  struct Emptied {
    std::vector<Queued>& queue;
    ~Emptied() { queue.clear(); }
  } const emptied{queue_};
  launches_ += queue_.size();
  double origin = std::numeric_limits<double>::max();
  for (const Queued& each : queue_) origin = std::min(origin, each.launch.ready_ns);
  origin = std::max(origin, free_from);
  auto* const concurrent = dynamic_cast<host::Concurrent*>(device_);
  if (concurrent == nullptr ||
      std::ranges::any_of(queue_, [&](const Queued& each) { return nested_.launches(each.launch.module); }))
    return run_in_order(origin);
  std::vector<host::QueuedLaunch> launches;
  for (const Queued& each : queue_) {
    launches.push_back(each.launch);
    launches.back().ready_ns = std::max(0.0, each.launch.ready_ns - origin);
  }
  const std::vector<host::LaunchInterval> intervals = concurrent->launch_together(launches);
  if (intervals.empty()) return run_in_order(origin);
  std::vector<FinishedLaunch> finished;
  for (std::size_t i = 0; i < intervals.size(); ++i)
    finished.push_back(
        {queue_[i].number, Code::kSuccess, origin + intervals[i].begin_ns, origin + intervals[i].end_ns});
  return finished;
}

void Session::finish(const Request& request) {
  const std::vector<FinishedLaunch> finished = run_queue(std::bit_cast<double>(request.arguments[0]));
  const auto bytes = std::as_bytes(std::span(finished));
  data_.assign(bytes.begin(), bytes.end());
}

}  // namespace heddle::runtime
