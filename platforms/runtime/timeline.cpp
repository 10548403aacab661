#include "runtime/timeline.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <vector>

#include "runtime/runtime.h"

namespace heddle::runtime {

void Moment::join(const Moment& other) {
  ns = std::max(ns, other.ns);
  launches.insert(other.launches.begin(), other.launches.end());
}

void Timeline::take(Moment& done, double now, double ns, Engine engine) {
  double& free = free_.at(static_cast<std::size_t>(engine));
  if (ns > 0) done.ns = std::max({done.ns, now, free});
  done.ns += ns;
  free = std::max(free, done.ns);
}

Code Timeline::queue(Runtime& runtime, const Request& launch, const std::string& arguments, Moment& done) {
  QueuedHeader header;
  header.ready_ns = std::max(done.ns, runtime.now()) + runtime.machine().launch_ns;
  header.after = done.launches.size();
  std::string payload(reinterpret_cast<const char*>(&header), sizeof header);
  for (const std::uint64_t each : done.launches)
    payload.append(reinterpret_cast<const char*>(&each), sizeof each);
  const auto answer = runtime.ask(launch, payload + arguments);
  if (answer.reply.code != Code::kSuccess) return answer.reply.code;
  ++queued_;
  done.launches = {answer.reply.values[0]};
  return Code::kSuccess;
}

void Timeline::finish(Runtime& runtime) {
  queued_ = 0;
  Request request;
  request.operation = Operation::kFinish;
  double& free = free_.at(static_cast<std::size_t>(Engine::kCompute));
  request.arguments[0] = std::bit_cast<std::uint64_t>(free);
  const auto answer = runtime.ask(request);
  if (answer.reply.code != Code::kSuccess && runtime.deferred == Code::kSuccess)
    runtime.deferred = answer.reply.code;
  std::vector<FinishedLaunch> finished(answer.data.size() / sizeof(FinishedLaunch));
  if (!finished.empty()) std::memcpy(finished.data(), answer.data.data(), answer.data.size());
  std::map<std::uint64_t, double> ends;
  for (const FinishedLaunch& each : finished) {
    ends[each.number] = each.end_ns;
    free = std::max(free, each.end_ns);
    if (each.code != Code::kSuccess && runtime.deferred == Code::kSuccess) runtime.deferred = each.code;
  }
  runtime.streams.resolve([&](Moment& moment) {
    for (const std::uint64_t each : moment.launches)
      if (const auto found = ends.find(each); found != ends.end())
        moment.ns = std::max(moment.ns, found->second);
    moment.launches.clear();
  });
}

}  // namespace heddle::runtime
