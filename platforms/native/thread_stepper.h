// Executes the threads of a program an instruction at a time, in turns, so that it runs the same way every time (x86-64
// Linux, ptrace).
//
// Turns go round in the order in which threads were born; each that does not wait in the kernel executes one instruction a
// turn, and nobody else runs meanwhile. A thread that is born waits until its parent waits, has ended or has executed
// kHeadStart instructions since it last bore one, so that threads that a program starts together begin together. A thread
// that is alone may run freely. Clocks (clock_gettime, gettimeofday, time) count the instructions executed, a nanosecond
// each. What still differs from run to run is what the program asks of the world: the processor's own counters, sleeping,
// files that change, ids of processes and threads.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::native {

class ThreadStepper {
 public:
  static constexpr std::uint64_t kHeadStart = 100'000;

  /// Threads have the numbers of their births; 0 is the first one.
  class Observer {
   public:
    virtual ~Observer() = default;
    /// `thread` is about to execute the instruction at registers.rip.
    virtual void before(unsigned thread, const user_regs_struct& registers) = 0;
    virtual void ended(unsigned thread) = 0;
    /// Whether `before` has to be called for each instruction, also while the thread is the only one.
    [[nodiscard]] virtual bool watches(unsigned thread) const = 0;
  };

  struct End {
    int status = 0;  ///< of exit
    int signal = 0;  ///< that ended it; 0: none
  };

  /// Starts `command` and stops in front of its first instruction. Throws base::InputError if it cannot be run or traced.
  explicit ThreadStepper(const std::vector<std::string>& command);
  ~ThreadStepper();
  ThreadStepper(const ThreadStepper&) = delete;
  ThreadStepper& operator=(const ThreadStepper&) = delete;

  /// To the program's end. Throws base::InputError if all its threads wait for each other.
  End run(Observer& observer);

  /// Bytes of its memory that can be read at `address`, `bytes` at most.
  std::size_t read(std::uint64_t address, void* into, std::size_t bytes) const;
  [[nodiscard]] user_fpregs_struct floating_point(unsigned thread) const;

 private:
  struct Thread {
    enum class State : std::uint8_t { kReady, kWaits, kEnded };
    State state = State::kReady;
    pid_t id = -1;
    bool held = false;  ///< since its birth, for its parent
    unsigned parent = 0;
    std::uint64_t steps = 0;       ///< instructions executed in turns
    std::uint64_t last_birth = 0;  ///< `steps` when it bore a thread
    int signal = 0;                ///< to be delivered when it goes on
    bool for_ever = false;         ///< kWaits: in a futex without a time-out
  };

  void start();
  End run_turns(Observer& observer);
  void fix_auxiliary_vector() const;
  void give_time(unsigned number, const user_regs_struct& before) const;
  void bind(pid_t id) const;
  void write(std::uint64_t address, const void* from, std::size_t bytes) const;
  [[nodiscard]] bool is_system_call(std::uint64_t pc);
  [[nodiscard]] bool may_go(Thread& thread);
  void turn(unsigned number, Observer& observer);
  void go(unsigned number, int request, bool may_wait, Observer& observer);
  bool stopped(unsigned number, int status, Observer& observer);
  void birth(unsigned parent);
  void end(unsigned number, int status, Observer& observer);
  void settle_waiting(Observer& observer);
  void wait_for_the_world(Observer& observer);
  void ended_untold(unsigned number, Observer& observer);
  enum class Settled : std::uint8_t {
    kStatus,  ///< it has stopped or ended
    kWaits,   ///< in the kernel
    kEnded  ///< without a status: the first thread before others (told when the last one has ended), or unknown
  };
  [[nodiscard]] Settled settles(const Thread& thread, int& status) const;

  const std::vector<std::string>& command_;
  int memory_ = -1;
  std::vector<Thread> threads_;
  std::vector<unsigned> turns_;                           ///< that have not ended, in order of birth
  std::uint64_t executed_ = 0;                            ///< instructions in turns, of all threads
  std::unordered_map<std::uint64_t, bool> system_calls_;  ///< by PC
  std::optional<int> bound_;                              ///< the processor, from the first birth on
  bool reaped_ = false;                                   ///< the whole process
  End end_;
};

}  // namespace heddle::native
