#include "runtime/streams.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime/copy.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uintptr_t kLegacy = 1, kPerThread = 2;

thread_local bool in_host_function = false;

}  // namespace

void Capture::add(const Stream& stream, Stream::Entry entry) {
  entries.push_back(std::move(entry));
  clocks[stream.id][stream.id] = entries.size();
}

Stream* Streams::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id_++;
  Stream* const handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

bool Streams::is_default(StreamHandle handle) const {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  return number == 0 || number == kLegacy;
}

Stream* Streams::find(StreamHandle handle) {
  if (is_default(handle)) return &default_;
  if (reinterpret_cast<std::uintptr_t>(handle) == kPerThread) {
    Stream*& own = per_thread_[std::this_thread::get_id()];
    if (own == nullptr) own = create(0, 0);
    return own;
  }
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Streams::destroy(Runtime& runtime, Stream* stream) {
  wait_for(runtime, [stream] { return stream->idle(); });
  if (Capture* const capture = stream->capture; capture != nullptr && capture->origin == stream) {
    if (capture->graph != nullptr) runtime.graphs.let_go(*capture->graph, capture->graph_given);
    forget(capture);
  }
  streams_.erase(stream);
}

Event* Streams::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  Event* const handle = event.get();
  events_.emplace(handle, std::move(event));
  return handle;
}

Event* Streams::find_event(EventHandle handle) {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

bool Streams::idle(StreamHandle handle) {
  if (!is_default(handle)) return find(handle)->idle();
  return default_.idle() && std::all_of(streams_.begin(), streams_.end(), [](const auto& each) {
           return (each.second->flags & kNonBlocking) != 0 || each.second->idle();
         });
}

Code Streams::operate(Stream& stream, const std::function<Code()>& operation) {
  struct Restored {
    Stream*& current;
    Stream* outer;
    ~Restored() { current = outer; }
  } const restored{current_, std::exchange(current_, &stream)};
  return operation();
}

void Streams::finish(Runtime& runtime) {
  while (runtime.timeline.any()) {
    runtime.timeline.finish(runtime);
    drain_all(runtime);
  }
}

void Streams::before_copy(Runtime& runtime, const Stream& stream, int kind, std::uint64_t to) {
  if (stream.capture == nullptr && !stream.done.launches.empty() && kind != kHostToDevice &&
      kind != kDeviceToDevice && to != 0 && !runtime.memory.find(to))
    finish(runtime);
}

void Streams::resolve(const std::function<void(Moment&)>& each) {
  each(default_.done);
  for (const auto& [handle, stream] : streams_) each(stream->done);
  for (const auto& [handle, event] : events_) each(event->done);
}

/// With the call's lock, which is open meanwhile: other threads' calls and host functions go on.
void Streams::wait_for(Runtime& runtime, const std::function<bool()>& done) {
  std::unique_lock<std::mutex>* const lock = runtime.held;
  while (!done()) {
    if (runtime.timeline.any()) {
      finish(runtime);
      continue;
    }
    if (in_host_function) throw WaitsForItself{};
    changed_.wait(*lock);
    runtime.held = lock;
  }
}

Code Streams::wait(Runtime& runtime, StreamHandle handle) {
  const Stream* const stream = find(handle);
  if (stream == nullptr) return Code::kInvalidResourceHandle;
  if (const Code code = check_wait(*stream); code != Code::kSuccess) return code;
  wait_for(runtime, [this, handle] { return find(handle) == nullptr || idle(handle); });
  if (const Stream* const now = find(handle); now != nullptr) runtime.waited(now->done);
  runtime.memory.collect(runtime);
  return std::exchange(runtime.deferred, Code::kSuccess);
}

Code Streams::wait_for_all(Runtime& runtime) {
  wait_for(runtime, [this] {
    return default_.idle() && std::all_of(streams_.begin(), streams_.end(),
                                          [](const auto& each) { return each.second->idle(); });
  });
  resolve([&runtime](Moment& moment) { runtime.waited(moment); });
  if (runtime.sticky() == Code::kSuccess && runtime.connection().is_open()) runtime.memory.collect(runtime);
  return std::exchange(runtime.deferred, Code::kSuccess);
}

Code Streams::run(Runtime& runtime, StreamHandle handle, std::function<Code()> operation, int type) {
  Stream* const stream = find(handle);
  if (stream == nullptr) return Code::kInvalidResourceHandle;
  if (const Code code = check_work(*stream); code != Code::kSuccess) return code;
  if (stream->capture != nullptr) {
    stream->capture->add(*stream, {std::move(operation), nullptr, nullptr, type});
    return Code::kSuccess;
  }
  // The default stream and those that block wait for each other.
  if (stream == &default_)
    wait_for(runtime, [this] { return idle(nullptr); });
  else if ((stream->flags & kNonBlocking) == 0 && !default_.idle())
    wait_for(runtime, [this] { return default_.idle(); });
  if (stream == &default_)
    for (const auto& [handle_of, each] : streams_) {
      if ((each->flags & kNonBlocking) == 0) stream->done.join(each->done);
    }
  else if ((stream->flags & kNonBlocking) == 0)
    stream->done.join(default_.done);
  if (stream->waiting.empty() && stream->takes(type)) {
    const Code code = operate(*stream, operation);
    if (stream == &default_ && type == Stream::kCopyOperation) runtime.waited(stream->done);
    return code;
  }
  stream->waiting.push_back({std::move(operation), nullptr, nullptr, type});
  return Code::kSuccess;
}

Code Streams::host_function(Runtime& runtime, StreamHandle handle, HostFunction function, void* data) {
  Stream* const stream = find(handle);
  if (stream == nullptr) return Code::kInvalidResourceHandle;
  if (function == nullptr) return Code::kInvalidValue;
  if (const Code code = check_work(*stream); code != Code::kSuccess) return code;
  if (stream->capture != nullptr) {
    stream->capture->add(*stream, {{}, function, data});
    return Code::kSuccess;
  }
  if (runtime.timeline.any()) finish(runtime);
  runtime.memory.collect(runtime);
  if (stream->idle())
    submit(runtime, stream, function, data);
  else
    stream->waiting.push_back({{}, function, data});
  return Code::kSuccess;
}

bool Streams::pending(EventHandle handle, std::uint64_t record) {
  const Event* const event = find_event(handle);
  return event != nullptr && !event->pending.empty() && *event->pending.begin() <= record;
}

Code Streams::wait_event(Runtime& runtime, StreamHandle handle, EventHandle event) {
  Stream* const stream = find(handle);
  const Event* const found = find_event(event);
  if (stream == nullptr || found == nullptr) return Code::kInvalidResourceHandle;
  if (const Code code = check_work(*stream); code != Code::kSuccess) return code;
  Stream::Entry entry{{}, nullptr, nullptr, Stream::kWaitOperation, event, found->records};
  if (stream->capture != nullptr) {
    stream->capture->add(*stream, std::move(entry));
    return Code::kSuccess;
  }
  if (stream == &default_)
    wait_for(runtime, [&] { return !pending(entry.event, entry.record); });
  else if (!stream->waiting.empty() || !stream->takes(entry.type) || pending(entry.event, entry.record)) {
    stream->waiting.push_back(std::move(entry));
    return Code::kSuccess;
  }
  if (const Event* const now = find_event(event); now != nullptr) stream->done.join(now->done);
  return Code::kSuccess;
}

Code Streams::run(Runtime& runtime, StreamHandle handle, const Stream::Entry& entry) {
  if (entry.event != nullptr) return wait_event(runtime, handle, entry.event);
  return entry.operation ? run(runtime, handle, entry.operation, entry.type)
                         : host_function(runtime, handle, entry.function, entry.data);
}

/// The default stream stands for all that block: nothing may come to it while one of them is captured.
Code Streams::check_work(const Stream& stream) {
  if (stream.capture != nullptr)
    return stream.capture->invalid ? Code::kStreamCaptureInvalidated : Code::kSuccess;
  Code code = Code::kSuccess;
  if (&stream != &default_) return code;
  for (const auto& [handle, each] : streams_)
    if (each->capture != nullptr && (each->flags & kNonBlocking) == 0) {
      each->capture->invalid = true;
      code = Code::kStreamCaptureImplicit;
    }
  return code;
}

Code Streams::implicit(const Stream& stream) const {
  const bool any =
      &stream == &default_ && std::any_of(streams_.begin(), streams_.end(), [](const auto& each) {
        return each.second->capture != nullptr && (each.second->flags & kNonBlocking) == 0;
      });
  return any ? Code::kStreamCaptureImplicit : Code::kSuccess;
}

Code Streams::check_wait(const Stream& stream) {
  if (stream.capture == nullptr) return check_work(stream);
  stream.capture->invalid = true;
  return Code::kStreamCaptureUnsupported;
}

Code Streams::check_wait() {
  for (const auto& each : captures_) each->invalid = true;
  return captures_.empty() ? Code::kSuccess : Code::kStreamCaptureUnsupported;
}

Code Streams::check_wait(const Event& event) {
  if (event.captured == nullptr) return Code::kSuccess;
  event.captured->invalid = true;
  return Code::kCapturedEvent;
}

Capture* Streams::capture_of(StreamHandle handle) {
  const Stream* const stream = find(handle);
  return stream == nullptr ? nullptr : stream->capture;
}

Code Streams::check_unsafe() {
  if (capture_mode() == Capture::kRelaxed) return Code::kSuccess;
  Code code = Code::kSuccess;
  for (const auto& each : captures_) {
    const bool own = each->thread == std::this_thread::get_id();
    if (own ? each->mode == Capture::kRelaxed
            : each->mode != Capture::kGlobal || capture_mode() != Capture::kGlobal)
      continue;
    each->invalid = true;
    code = Code::kStreamCaptureUnsupported;
  }
  return code;
}

int& Streams::capture_mode() {
  thread_local int mode = Capture::kGlobal;
  return mode;
}

Code Streams::begin_capture(Stream& stream, int mode) {
  if (mode < Capture::kGlobal || mode > Capture::kRelaxed) return Code::kInvalidValue;
  if (stream.capture != nullptr) return Code::kIllegalState;
  if (&stream == &default_) return Code::kStreamCaptureUnsupported;
  captures_.push_back(std::make_unique<Capture>());
  stream.capture = captures_.back().get();
  stream.capture->origin = &stream;
  stream.capture->id = next_id_++;
  stream.capture->mode = mode;
  stream.capture->thread = std::this_thread::get_id();
  return Code::kSuccess;
}

Code Streams::end_capture(Stream& stream) {
  Capture* const capture = stream.capture;
  if (capture == nullptr || capture->origin != &stream) return Code::kStreamCaptureUnmatched;
  if (capture->mode != Capture::kRelaxed && capture->thread != std::this_thread::get_id())
    return Code::kStreamCaptureWrongThread;
  CaptureClock& joined = capture->clocks[stream.id];
  Code code = Code::kSuccess;
  for (auto& [id, clock] : capture->clocks)
    if (joined[id] < clock[id]) code = Code::kStreamCaptureUnjoined;
  if (capture->invalid) code = Code::kStreamCaptureInvalidated;
  forget(capture);
  return code;
}

void Streams::record_captured(Event& event, const Stream& stream) {
  event.captured = stream.capture;
  event.clock = stream.capture->clocks[stream.id];
}

Code Streams::join_capture(Stream& stream, Event& event) {
  Capture *const here = stream.capture, *const there = event.captured;
  for (const Capture* const each : {here, there})
    if (each != nullptr && each->invalid) return Code::kStreamCaptureInvalidated;
  const Code code = there == nullptr                   ? Code::kStreamCaptureIsolation
                    : &stream == &default_             ? Code::kStreamCaptureImplicit
                    : here != nullptr && here != there ? Code::kStreamCaptureMerge
                                                       : Code::kSuccess;
  if (code != Code::kSuccess) {
    for (Capture* const each : {here, there})
      if (each != nullptr) each->invalid = true;
    return code;
  }
  stream.capture = there;
  CaptureClock& clock = there->clocks[stream.id];
  for (const auto& [id, entries] : event.clock) clock[id] = std::max(clock[id], entries);
  return Code::kSuccess;
}

void Streams::forget(const Capture* capture) {
  for (const auto& [handle, each] : streams_)
    if (each->capture == capture) each->capture = nullptr;
  for (const auto& [handle, each] : events_)
    if (each->captured == capture) each->captured = nullptr;
  std::erase_if(captures_, [capture](const auto& each) { return each.get() == capture; });
}

void Streams::forget_captures() {
  while (!captures_.empty()) forget(captures_.back().get());
}

void Streams::submit(Runtime& runtime, Stream* stream, HostFunction function, void* data) {
  stream->busy = true;
  jobs_.push_back({stream, function, data});
  if (!std::exchange(working_, true)) std::thread([this, &runtime] { work(runtime); }).detach();
  has_jobs_.notify_one();
}

void Streams::work(Runtime& runtime) {
  std::unique_lock lock(runtime.mutex);
  while (true) {
    has_jobs_.wait(lock, [this] { return !jobs_.empty(); });
    const Job job = jobs_.front();
    jobs_.pop_front();
    lock.unlock();
    in_host_function = true;
    job.function(job.data);
    in_host_function = false;
    lock.lock();
    runtime.held = &lock;
    job.stream->busy = false;
    drain_all(runtime);
    runtime.held = nullptr;
    changed_.notify_all();
  }
}

bool Streams::drain(Runtime& runtime, Stream* stream) {
  bool moved = false;
  while (!stream->waiting.empty() && stream->takes(stream->waiting.front().type) &&
         !pending(stream->waiting.front().event, stream->waiting.front().record)) {
    const Stream::Entry entry = std::move(stream->waiting.front());
    stream->waiting.pop_front();
    moved = true;
    if (const Event* const event = find_event(entry.event); event != nullptr) stream->done.join(event->done);
    if (entry.function != nullptr) {
      runtime.memory.collect(runtime);
      submit(runtime, stream, entry.function, entry.data);
    } else if (entry.operation) {
      const Code code = guarded([&] { return operate(*stream, entry.operation); });
      if (code != Code::kSuccess && runtime.deferred == Code::kSuccess) runtime.deferred = code;
    }
  }
  return moved;
}

/// What one stream has done may be what another waits for.
void Streams::drain_all(Runtime& runtime) {
  std::map<std::uint64_t, Stream*> in_order;  // of their creation: addresses are others in each run
  for (const auto& [handle, each] : streams_) in_order[each->id] = each.get();
  for (bool moved = true; moved;) {
    moved = drain(runtime, &default_);
    for (const auto& [id, each] : in_order) moved = drain(runtime, each) || moved;
  }
}

}  // namespace heddle::runtime
