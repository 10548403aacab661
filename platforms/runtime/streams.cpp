#include "runtime/streams.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uintptr_t kLegacy = 1, kPerThread = 2;

}  // namespace

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
  return number == 0 || number == kLegacy || number == kPerThread;
}

Stream* Streams::find(StreamHandle handle) {
  if (is_default(handle)) return &default_;
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Streams::destroy(Runtime& runtime, Stream* stream) {
  wait_for(runtime, [stream] { return stream->idle(); });
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

/// With the call's lock, which is open meanwhile: other threads' calls and host functions go on.
void Streams::wait_for(Runtime& runtime, const std::function<bool()>& done) {
  std::unique_lock<std::mutex>* const lock = runtime.held;
  while (!done()) {
    changed_.wait(*lock);
    runtime.held = lock;
  }
}

Code Streams::wait(Runtime& runtime, StreamHandle handle) {
  const Stream* const stream = find(handle);
  if (stream == nullptr) return Code::kInvalidResourceHandle;
  if (stream->capture != nullptr) return Code::kStreamCaptureUnsupported;
  wait_for(runtime, [this, handle] { return find(handle) == nullptr || idle(handle); });
  runtime.memory.collect(runtime);
  return std::exchange(runtime.deferred, Code::kSuccess);
}

Code Streams::wait_for_all(Runtime& runtime) {
  wait_for(runtime, [this] {
    return default_.idle() && std::all_of(streams_.begin(), streams_.end(),
                                          [](const auto& each) { return each.second->idle(); });
  });
  if (runtime.sticky() == Code::kSuccess && runtime.connection().is_open()) runtime.memory.collect(runtime);
  return std::exchange(runtime.deferred, Code::kSuccess);
}

Code Streams::run(Runtime& runtime, StreamHandle handle, std::function<Code()> operation, int type) {
  Stream* const stream = find(handle);
  if (stream == nullptr) return Code::kInvalidResourceHandle;
  if (stream->capture != nullptr) {
    stream->capture->entries.push_back({std::move(operation), nullptr, nullptr, type});
    return Code::kSuccess;
  }
  // The default stream and those that block wait for each other.
  if (stream == &default_)
    wait_for(runtime, [this] { return idle(nullptr); });
  else if ((stream->flags & kNonBlocking) == 0 && !default_.idle())
    wait_for(runtime, [this] { return default_.idle(); });
  if (stream->idle()) return operation();
  stream->waiting.push_back({std::move(operation), nullptr, nullptr, type});
  return Code::kSuccess;
}

Code Streams::host_function(Runtime& runtime, StreamHandle handle, HostFunction function, void* data) {
  Stream* const stream = find(handle);
  if (stream == nullptr) return Code::kInvalidResourceHandle;
  if (function == nullptr) return Code::kInvalidValue;
  if (stream->capture != nullptr) {
    stream->capture->entries.push_back({{}, function, data});
    return Code::kSuccess;
  }
  runtime.memory.collect(runtime);
  if (stream->idle())
    submit(runtime, stream, function, data);
  else
    stream->waiting.push_back({{}, function, data});
  return Code::kSuccess;
}

Code Streams::begin_capture(Stream& stream) {
  if (stream.capture != nullptr) return Code::kIllegalState;
  captures_.push_back(std::make_unique<Capture>());
  stream.capture = captures_.back().get();
  *stream.capture = {&stream, next_id_++, {}};
  return Code::kSuccess;
}

Code Streams::end_capture(Stream& stream, std::vector<Stream::Entry>& entries) {
  Capture* const capture = stream.capture;
  if (capture == nullptr || capture->origin != &stream) return Code::kStreamCaptureUnmatched;
  entries = std::move(capture->entries);
  for (const auto& [handle, each] : streams_)
    if (each->capture == capture) each->capture = nullptr;
  for (const auto& [handle, each] : events_)
    if (each->captured == capture) each->captured = nullptr;
  std::erase_if(captures_, [capture](const auto& each) { return each.get() == capture; });
  return Code::kSuccess;
}

Code Streams::join_capture(Stream& stream, const Event& event) {
  if (stream.capture == event.captured) return Code::kSuccess;
  if (event.captured == nullptr) return Code::kStreamCaptureIsolation;
  if (stream.capture != nullptr) return Code::kStreamCaptureMerge;
  for (const auto& each : captures_)
    if (each.get() == event.captured) stream.capture = each.get();
  return Code::kSuccess;
}

void Streams::forget_captures() {
  for (const auto& [handle, each] : streams_) each->capture = nullptr;
  for (const auto& [handle, each] : events_) each->captured = nullptr;
  captures_.clear();
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
    job.function(job.data);
    lock.lock();
    runtime.held = &lock;
    job.stream->busy = false;
    drain(runtime, job.stream);
    runtime.held = nullptr;
    changed_.notify_all();
  }
}

void Streams::drain(Runtime& runtime, Stream* stream) {
  while (!stream->busy && !stream->waiting.empty()) {
    const Stream::Entry entry = std::move(stream->waiting.front());
    stream->waiting.pop_front();
    if (!entry.operation) {
      runtime.memory.collect(runtime);
      submit(runtime, stream, entry.function, entry.data);
      return;
    }
    const Code code = guarded(entry.operation);
    if (code != Code::kSuccess && runtime.deferred == Code::kSuccess) runtime.deferred = code;
  }
}

}  // namespace heddle::runtime
