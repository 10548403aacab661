// Streams, events and host functions. Operations run when they are called, unless a host function of their stream has not
// returned: then they wait behind it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/abi.h"
#include "runtime/timeline.h"

namespace heddle::runtime {

class Runtime;
struct Capture;
struct Graph;
struct GraphNode;

/// How far into a capture each stream has been followed: entries of the capture, by the stream's id.
using CaptureClock = std::map<std::uint64_t, std::size_t>;

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::uint64_t records = 0;        ///< number of the last one
  std::set<std::uint64_t> pending;  ///< numbers of those that wait behind host functions
  Moment done;                      ///< when it is
  Capture* captured = nullptr;      ///< the capture in which it has been recorded last
  CaptureClock clock;               ///< what it stands for there
};

/// What a kernel was launched with. Pointers are those to the arguments, which lie one behind the other.
struct Launch {
  const void* function = nullptr;
  Dim grid, block;
  std::size_t shared = 0;
  std::string arguments;
  std::vector<void*> pointers;
  bool cooperative = false;
};

struct Stream {
  static constexpr int kKernelOperation = 0, kCopyOperation = 1, kFillOperation = 2, kWaitOperation = 6,
                       kRecordOperation = 7;  ///< cudaGraphNodeType
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  bool busy = false;  ///< a host function of it runs
  struct Entry {
    std::function<Code()> operation;  ///< one of these three
    HostFunction function = nullptr;
    void* data = nullptr;  ///< of the host function; of an operation on memory of graphs, that memory
    int type = kCopyOperation;
    EventHandle event = nullptr;                ///< to be waited for
    std::uint64_t record = 0;                   ///< up to this one of its records
    std::shared_ptr<const Launch> launch = {};  ///< of a kernel
  };
  std::deque<Entry> waiting;
  Capture* capture = nullptr;                      ///< takes what comes, if there is one
  std::map<int, std::array<char, 64>> attributes;  ///< cudaStreamSetAttribute; they have no effect
  Moment done;                                     ///< of what it has been asked for, without what waits
  [[nodiscard]] bool idle() const { return !busy && waiting.empty() && done.launches.empty(); }
  /// Whether an operation of the type need not wait, if nothing waits.
  [[nodiscard]] bool takes(int type) const {
    return !busy && (done.launches.empty() || type == kKernelOperation || type >= kWaitOperation);
  }
};

/// The operations of a stream, and of those that have come to wait for its events, which are kept instead of run.
struct Capture {
  enum Mode : int { kGlobal, kThreadLocal, kRelaxed };  ///< cudaStreamCaptureMode
  const Stream* origin = nullptr;
  int mode = kGlobal;
  std::thread::id thread;  ///< that has begun it
  std::uint64_t id = 0;
  std::vector<Stream::Entry> entries;
  std::map<std::uint64_t, CaptureClock> clocks;  ///< of the streams that take part, by their id
  bool invalid = false;                          ///< a call that a capture does not allow has been made
  Graph* graph = nullptr;                        ///< of the first `in_graph` entries, if there is one
  bool graph_given = false;                      ///< by the program
  std::size_t in_graph = 0;
  std::vector<const GraphNode*> last;  ///< what the next node waits for
  void add(const Stream& stream, Stream::Entry entry);
};

/// cudaStreamCaptureStatus.
int capture_status(const Stream& stream);
/// cudaStreamGetCaptureInfo and cudaStreamUpdateCaptureDependencies of all toolkits.
int capture_info(StreamHandle handle, int* status, unsigned long long* id, Graph** graph,
                 const GraphNode* const** needs, const void** edges, std::size_t* count);
int change_capture(StreamHandle handle, const GraphNode* const* needs, std::size_t count, unsigned flags);

class Streams {
 public:
  static constexpr unsigned kNonBlocking = 1;
  static constexpr unsigned kEventDisableTiming = 2;

  Stream* create(unsigned flags, int priority);
  /// nullptr: no such stream. 0 and cudaStreamLegacy are the default stream; cudaStreamPerThread is the calling thread's.
  [[nodiscard]] Stream* find(StreamHandle handle);
  void destroy(Runtime& runtime, Stream* stream);
  Event* create_event(unsigned flags);
  [[nodiscard]] Event* find_event(EventHandle handle);
  void destroy_event(Event* event) { events_.erase(event); }

  /// Runs the operation, or leaves it behind a host function.
  Code run(Runtime& runtime, StreamHandle handle, std::function<Code()> operation,
           int type = Stream::kCopyOperation);
  Code host_function(Runtime& runtime, StreamHandle handle, HostFunction function, void* data);
  /// What follows in the stream waits for the event's records so far. In a capture it is an operation that does so.
  Code wait_event(Runtime& runtime, StreamHandle handle, EventHandle event);
  /// An entry of a capture again.
  Code run(Runtime& runtime, StreamHandle handle, const Stream::Entry& entry);
  /// Whether captures allow work in the stream. What they do not allow makes them invalid (CUDA C++ Programming Guide, Prohibited
  /// and Unhandled Operations).
  [[nodiscard]] Code check_work(const Stream& stream);
  /// An error for the default stream while one that blocks is captured.
  [[nodiscard]] Code implicit(const Stream& stream) const;
  /// Whether they allow to wait for the stream, or to ask how far it is.
  [[nodiscard]] Code check_wait(const Stream& stream);
  /// The same of the device, ...
  [[nodiscard]] Code check_wait();
  /// ... and of an event.
  [[nodiscard]] static Code check_wait(const Event& event);
  /// Whether they allow this thread a call that is unsafe meanwhile: to allocate memory, or to free it
  /// (cudaThreadExchangeStreamCaptureMode).
  [[nodiscard]] Code check_unsafe();
  /// Of the calling thread, a Capture::Mode.
  [[nodiscard]] static int& capture_mode();
  Code begin_capture(Stream& stream, int mode);
  /// Of all streams that take part. An error if it is invalid, or a stream has not been joined to its origin.
  Code end_capture(Stream& stream);
  /// The event is recorded in a capture: the stream takes part in it from now on.
  Code join_capture(Stream& stream, Event& event);
  /// The event stands for what the stream's capture has of the stream so far.
  static void record_captured(Event& event, const Stream& stream);
  /// Ends all, without a result.
  void forget_captures();
  /// Where the stream's operations go instead of to the device; nullptr: nowhere.
  [[nodiscard]] Capture* capture_of(StreamHandle handle);
  /// Until everything called before is done; of the default stream that is everything in streams that block.
  Code wait(Runtime& runtime, StreamHandle handle);
  Code wait_for_all(Runtime& runtime);
  /// Throws WaitsForItself in a host function, for what cannot be before it has ended.
  void wait_for(Runtime& runtime, const std::function<bool()>& done);
  /// Runs the launches that are left (timeline.h), and what waits behind them.
  void finish(Runtime& runtime);
  /// Host memory that is pageable has what a copy brings when the call returns.
  void before_copy(Runtime& runtime, const Stream& stream, int kind, std::uint64_t to);
  void resolve(const std::function<void(Moment&)>& each);
  /// Whose operation is in progress, or nullptr.
  [[nodiscard]] Stream* current() const { return current_; }
  [[nodiscard]] bool idle(StreamHandle handle);
  [[nodiscard]] bool is_default(StreamHandle handle) const;

 private:
  void submit(Runtime& runtime, Stream* stream, HostFunction function, void* data);
  /// Runs what waits in the stream. False: nothing could.
  bool drain(Runtime& runtime, Stream* stream);
  void drain_all(Runtime& runtime);
  Code operate(Stream& stream, const std::function<Code()>& operation);
  [[nodiscard]] bool pending(EventHandle handle, std::uint64_t record);
  /// Nothing of the streams and events is of the capture any more.
  void forget(const Capture* capture);
  void work(Runtime& runtime);

  struct Job {
    Stream* stream = nullptr;
    HostFunction function = nullptr;
    void* data = nullptr;
  };
  Stream default_;
  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  /// A thread that comes later may have the name, and the stream, of one that has ended.
  std::map<std::thread::id, Stream*> per_thread_;
  std::map<Event*, std::unique_ptr<Event>> events_;
  std::vector<std::unique_ptr<Capture>> captures_;
  Stream* current_ = nullptr;
  std::uint64_t next_id_ = 1;
  std::deque<Job> jobs_;
  bool working_ = false;  ///< there is a thread that runs host functions
  std::condition_variable changed_, has_jobs_;
};

}  // namespace heddle::runtime
