// Streams, events and host functions of the interface.
#include <array>
#include <cstring>
#include <memory>

#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

HEDDLE_CUDA int cudaStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority) {
  return call([&](Runtime& runtime) {
    if (stream == nullptr || flags > Streams::kNonBlocking) return Code::kInvalidValue;
    *stream = runtime.streams.create(flags, priority);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamCreateWithFlags(StreamHandle* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
HEDDLE_CUDA int cudaStreamCreate(StreamHandle* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

namespace {

/// A function that only looks at a stream.
template <class Look>
int look(StreamHandle handle, Look&& answer) {
  return call([&](Runtime& runtime) {
    Stream* const stream = runtime.streams.find(handle);
    return stream == nullptr ? Code::kInvalidResourceHandle : answer(runtime, *stream);
  });
}

}  // namespace

HEDDLE_CUDA int cudaStreamDestroy(StreamHandle handle) {
  return look(handle, [&](Runtime& runtime, Stream& stream) {
    if (&stream != handle) return Code::kInvalidResourceHandle;  // the runtime's own
    runtime.streams.destroy(runtime, &stream);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamGetPriority(StreamHandle handle, int* priority) {
  return look(handle, [&](Runtime&, Stream& stream) {
    if (priority == nullptr) return Code::kInvalidValue;
    *priority = stream.priority;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamGetFlags(StreamHandle handle, unsigned* flags) {
  return look(handle, [&](Runtime&, Stream& stream) {
    if (flags == nullptr) return Code::kInvalidValue;
    *flags = stream.flags;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamGetId(StreamHandle handle, unsigned long long* id) {
  return look(handle, [&](Runtime&, Stream& stream) {
    if (id == nullptr) return Code::kInvalidValue;
    *id = stream.id;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamGetDevice(StreamHandle handle, int* device) {
  return look(handle, [&](Runtime&, Stream&) {
    if (device == nullptr) return Code::kInvalidValue;
    *device = 0;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamSynchronize(StreamHandle handle) {
  return call([&](Runtime& runtime) { return runtime.streams.wait(runtime, handle); });
}
HEDDLE_CUDA int cudaStreamQuery(StreamHandle handle) {
  return look(handle, [&](Runtime& runtime, Stream& stream) {
    if (const Code code = runtime.streams.check_wait(stream); code != Code::kSuccess) return code;
    runtime.streams.finish(runtime);
    if (!runtime.streams.idle(handle)) return Code::kNotReady;
    runtime.memory.collect(runtime);
    return Code::kSuccess;
  });
}
/// Attributes are hints for caches and schedulers that the machine does not have.
HEDDLE_CUDA int cudaStreamSetAttribute(StreamHandle handle, int attribute, const void* value) {
  return look(handle, [&](Runtime&, Stream& stream) {
    if (value == nullptr) return Code::kInvalidValue;
    std::array<char, 64>& kept = stream.attributes[attribute];
    std::memcpy(kept.data(), value, kept.size());
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamGetAttribute(StreamHandle handle, int attribute, void* value) {
  return look(handle, [&](Runtime&, Stream& stream) {
    if (value == nullptr) return Code::kInvalidValue;
    const std::array<char, 64>& kept = stream.attributes[attribute];
    std::memcpy(value, kept.data(), kept.size());
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamCopyAttributes(StreamHandle to, StreamHandle from) {
  return look(to, [&](Runtime& runtime, Stream& stream) {
    const Stream* const other = runtime.streams.find(from);
    if (other == nullptr) return Code::kInvalidResourceHandle;
    stream.attributes = other->attributes;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamAttachMemAsync(StreamHandle handle, void*, std::size_t, unsigned) {
  return look(handle, [](Runtime&, Stream&) { return Code::kSuccess; });
}
HEDDLE_CUDA int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Runtime&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return Code::kSuccess;
  });
}

int heddle::runtime::capture_status(const Stream& stream) {
  enum { kNone, kActive, kInvalidated };
  return stream.capture == nullptr ? kNone : stream.capture->invalid ? kInvalidated : kActive;
}

HEDDLE_CUDA int cudaStreamIsCapturing(StreamHandle handle, int* status) {
  return look(handle, [&](Runtime& runtime, Stream& stream) {
    if (status == nullptr) return Code::kInvalidValue;
    *status = capture_status(stream);
    return runtime.streams.implicit(stream);
  });
}
HEDDLE_CUDA int cudaThreadExchangeStreamCaptureMode(int* mode) {
  return call([&](Runtime&) {
    if (mode == nullptr || *mode < Capture::kGlobal || *mode > Capture::kRelaxed) return Code::kInvalidValue;
    std::swap(*mode, Streams::capture_mode());
    return Code::kSuccess;
  });
}

HEDDLE_CUDA int cudaEventCreateWithFlags(EventHandle* event, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (event == nullptr || flags > 7) return Code::kInvalidValue;
    *event = runtime.streams.create_event(flags);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaEventCreate(EventHandle* event) { return cudaEventCreateWithFlags(event, 0); }

namespace {

template <class Use>
int with_event(EventHandle handle, Use&& use) {
  return call([&](Runtime& runtime) {
    Event* const event = runtime.streams.find_event(handle);
    return event == nullptr ? Code::kInvalidResourceHandle : use(runtime, *event);
  });
}

}  // namespace

HEDDLE_CUDA int cudaEventDestroy(EventHandle handle) {
  return with_event(handle, [](Runtime& runtime, Event& event) {
    runtime.streams.wait_for(runtime, [&event] { return event.pending.empty(); });
    runtime.streams.destroy_event(&event);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaEventRecordWithFlags(EventHandle handle, StreamHandle stream, unsigned flags) {
  constexpr unsigned kExternal = 1;
  return with_event(handle, [&](Runtime& runtime, Event& event) {
    const Stream* const in = runtime.streams.find(stream);
    if (in == nullptr) return Code::kInvalidResourceHandle;
    if (const Code code = runtime.streams.check_work(*in); code != Code::kSuccess) return code;
    const bool captured = in->capture != nullptr;
    if (captured && (flags & kExternal) == 0) {  // it only orders what is captured
      Streams::record_captured(event, *in);
      return Code::kSuccess;
    }
    event.captured = nullptr;
    const std::uint64_t record = captured ? 0 : ++event.records;
    if (!captured) event.pending.insert(record);
    return runtime.streams.run(
        runtime, stream,
        [&runtime, handle, record] {
          Event* const now = runtime.streams.find_event(handle);  // a graph may be launched after its end
          if (now == nullptr) return Code::kInvalidResourceHandle;
          now->pending.erase(record);
          now->recorded = true;
          now->done = {runtime.now(), {}};
          if (const Stream* const behind = runtime.streams.current())
            now->done.launches = behind->done.launches;
          return Code::kSuccess;
        },
        Stream::kRecordOperation);
  });
}
HEDDLE_CUDA int cudaEventRecord(EventHandle handle, StreamHandle stream) {
  return cudaEventRecordWithFlags(handle, stream, 0);
}
HEDDLE_CUDA int cudaEventQuery(EventHandle handle) {
  return with_event(handle, [](Runtime& runtime, Event& event) {
    if (const Code code = Streams::check_wait(event); code != Code::kSuccess) return code;
    runtime.streams.finish(runtime);
    if (!event.pending.empty()) return Code::kNotReady;
    runtime.memory.collect(runtime);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaEventSynchronize(EventHandle handle) {
  return with_event(handle, [](Runtime& runtime, Event& event) {
    if (const Code code = Streams::check_wait(event); code != Code::kSuccess) return code;
    runtime.streams.wait_for(runtime,
                             [&event] { return event.pending.empty() && event.done.launches.empty(); });
    runtime.waited(event.done);
    runtime.memory.collect(runtime);
    return std::exchange(runtime.deferred, Code::kSuccess);
  });
}
HEDDLE_CUDA int cudaEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  return with_event(start, [&](Runtime& runtime, Event& from) {
    const Event* const to = runtime.streams.find_event(end);
    if (to == nullptr || milliseconds == nullptr) return Code::kInvalidResourceHandle;
    if (((from.flags | to->flags) & Streams::kEventDisableTiming) != 0 || !from.recorded || !to->recorded)
      return Code::kInvalidResourceHandle;
    for (const Event* const each : {static_cast<const Event*>(&from), to})
      if (!each->pending.empty() || !each->done.launches.empty()) return Code::kNotReady;
    *milliseconds = static_cast<float>((to->done.ns - from.done.ns) * 1e-6);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaStreamWaitEvent(StreamHandle stream, EventHandle handle, unsigned flags) {
  constexpr unsigned kExternal = 1;
  return with_event(handle, [&](Runtime& runtime, Event& event) {
    Stream* const waiting = runtime.streams.find(stream);
    if (waiting == nullptr) return Code::kInvalidResourceHandle;
    const bool external = waiting->capture != nullptr && (flags & kExternal) != 0;
    if (!external && (event.captured != nullptr || waiting->capture != nullptr))
      return runtime.streams.join_capture(*waiting, event);
    return runtime.streams.wait_event(runtime, stream, handle);
  });
}

HEDDLE_CUDA int cudaLaunchHostFunc(StreamHandle stream, HostFunction function, void* data) {
  return call(
      [&](Runtime& runtime) { return runtime.streams.host_function(runtime, stream, function, data); });
}

namespace {

struct CallbackCall {
  StreamHandle stream;
  StreamCallback callback;
  void* data;
};

}  // namespace

HEDDLE_CUDA int cudaStreamAddCallback(StreamHandle stream, StreamCallback callback, void* data,
                                      unsigned flags) {
  return call([&](Runtime& runtime) {
    if (callback == nullptr || flags != 0) return Code::kInvalidValue;
    if (const Stream* const in = runtime.streams.find(stream); in != nullptr && in->capture != nullptr)
      return runtime.streams.check_wait(*in);  // callbacks cannot be captured either
    auto context = std::make_unique<CallbackCall>(CallbackCall{stream, callback, data});
    const auto run = [](void* given) {
      const std::unique_ptr<CallbackCall> context_of(static_cast<CallbackCall*>(given));
      context_of->callback(context_of->stream, static_cast<int>(Code::kSuccess), context_of->data);
    };
    const Code code = runtime.streams.host_function(runtime, stream, run, context.get());
    if (code == Code::kSuccess) (void)context.release();
    return code;
  });
}
