#include "resync/thread_window.h"

#include <algorithm>

namespace heddle::resync {

ThreadWindow::ThreadWindow(TraceSet& traces, std::uint64_t ahead)
    // A match may be longer than its distance; what lies beyond counts as the end.
    : traces_(traces), ahead_(ahead == 0 ? 0 : 2 * ahead + 1), threads_(traces.threads()) {
  for (unsigned t = 0; t < traces.threads(); ++t) {
    threads_[t].records.resize(kChunk + ahead_ + 1);
    refill(t);
  }
}

void ThreadWindow::refill(unsigned thread) {
  Thread& t = threads_[thread];
  std::move(t.records.begin() + static_cast<std::ptrdiff_t>(t.head),
            t.records.begin() + static_cast<std::ptrdiff_t>(t.end), t.records.begin());
  t.first += t.head;
  t.end -= t.head;
  t.head = 0;
  const std::size_t room = t.records.size() - t.end;
  const std::size_t n = traces_.read(thread, {t.records.data() + t.end, room});
  if (n < room) t.complete = true;
  if (ahead_ != 0)
    for (std::size_t i = t.end; i < t.end + n; ++i) {
      t.at_pc[t.records[i].pc].push_back(t.first + i);
      if (t.records[i].has(TraceRecord::kAfterBarrier)) t.barriers.push_back(t.first + i);
    }
  t.end += n;
}

std::uint64_t ThreadWindow::until(unsigned thread, std::uint64_t pc, std::uint64_t limit) {
  Thread& t = threads_[thread];
  const std::uint64_t now = t.first + t.head;
  const auto found = t.at_pc.find(pc);
  if (found == t.at_pc.end()) return kNever;
  auto& visits = found->second;
  while (!visits.empty() && visits.front() <= now) visits.pop_front();
  if (visits.empty()) {
    t.at_pc.erase(found);
    return kNever;
  }
  while (!t.barriers.empty() && t.barriers.front() <= now) t.barriers.pop_front();
  const std::uint64_t distance = visits.front() - now;
  if (distance > limit || (!t.barriers.empty() && t.barriers.front() <= visits.front())) return kNever;
  return distance;
}

std::uint64_t ThreadWindow::pc_at(unsigned thread, std::uint64_t ahead) {
  const Thread& t = threads_[thread];
  return t.head + ahead < t.end ? t.records[t.head + ahead].pc : kNever;
}

}  // namespace heddle::resync
