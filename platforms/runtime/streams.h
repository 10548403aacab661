// Streams, events and host functions. Operations run when they are called, unless a host function of their stream has not
// returned: then they wait behind it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "runtime/abi.h"

namespace heddle::runtime {

class Runtime;
struct Capture;

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  unsigned pending = 0;               ///< records that wait behind host functions
  double time = 0;                    ///< of the device, ns
  const Capture* captured = nullptr;  ///< the capture in which it has been recorded last
};

struct Stream {
  static constexpr int kKernelOperation = 0, kCopyOperation = 1, kFillOperation = 2,
                       kRecordOperation = 7;  ///< cudaGraphNodeType
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  bool busy = false;  ///< a host function of it runs
  struct Entry {
    std::function<Code()> operation;  ///< empty: the host function
    HostFunction function = nullptr;
    void* data = nullptr;
    int type = kCopyOperation;
  };
  std::deque<Entry> waiting;
  Capture* capture = nullptr;  ///< takes what comes, if there is one
  [[nodiscard]] bool idle() const { return !busy && waiting.empty(); }
};

/// The operations of a stream, and of those that have come to wait for its events, which are kept instead of run.
struct Capture {
  const Stream* origin = nullptr;
  std::uint64_t id = 0;
  std::vector<Stream::Entry> entries;
};

class Streams {
 public:
  static constexpr unsigned kNonBlocking = 1;
  static constexpr unsigned kEventDisableTiming = 2;

  Stream* create(unsigned flags, int priority);
  /// nullptr: no such stream. 0, cudaStreamLegacy and cudaStreamPerThread are the default stream.
  [[nodiscard]] Stream* find(StreamHandle handle);
  void destroy(Runtime& runtime, Stream* stream);
  Event* create_event(unsigned flags);
  [[nodiscard]] Event* find_event(EventHandle handle);
  void destroy_event(Event* event) { events_.erase(event); }

  /// Runs the operation, or leaves it behind a host function.
  Code run(Runtime& runtime, StreamHandle handle, std::function<Code()> operation,
           int type = Stream::kCopyOperation);
  Code host_function(Runtime& runtime, StreamHandle handle, HostFunction function, void* data);
  Code begin_capture(Stream& stream);
  /// Of all streams that take part.
  Code end_capture(Stream& stream, std::vector<Stream::Entry>& entries);
  /// The event is recorded in a capture: the stream takes part in it from now on.
  Code join_capture(Stream& stream, const Event& event);
  /// Ends all, without a result.
  void forget_captures();
  /// Until everything called before is done; of the default stream that is everything in streams that block.
  Code wait(Runtime& runtime, StreamHandle handle);
  Code wait_for_all(Runtime& runtime);
  void wait_for(Runtime& runtime, const std::function<bool()>& done);
  [[nodiscard]] bool idle(StreamHandle handle);
  [[nodiscard]] bool is_default(StreamHandle handle) const;

 private:
  void submit(Runtime& runtime, Stream* stream, HostFunction function, void* data);
  void drain(Runtime& runtime, Stream* stream);
  void work(Runtime& runtime);

  struct Job {
    Stream* stream = nullptr;
    HostFunction function = nullptr;
    void* data = nullptr;
  };
  Stream default_;
  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  std::map<Event*, std::unique_ptr<Event>> events_;
  std::vector<std::unique_ptr<Capture>> captures_;
  std::uint64_t next_id_ = 1;
  std::deque<Job> jobs_;
  bool working_ = false;  ///< there is a thread that runs host functions
  std::condition_variable changed_, has_jobs_;
};

}  // namespace heddle::runtime
