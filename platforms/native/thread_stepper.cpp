#include "native/thread_stepper.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/held_signals.h"

namespace heddle::native {
namespace {

/// One letter of proc(5): R, S, D, t, Z ...; 0 if there is no such thread.
char scheduling_state(pid_t process, pid_t thread) {
  std::array<char, 64> path{};
  fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/task/{}/stat", process, thread);
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t n = ::read(file, text.data(), text.size());
  ::close(file);
  // "<id> (<name>) <state> ...": a name has 15 characters at most, and may have parentheses.
  for (ssize_t i = n - 1; i >= 2; --i)
    if (text[static_cast<std::size_t>(i) - 2] == ')' && text[static_cast<std::size_t>(i) - 1] == ' ')
      return text[static_cast<std::size_t>(i)];
  return 0;
}

/// Those on which this thread may run; given back at the end.
class OwnProcessors {
 public:
  OwnProcessors() : known_(::sched_getaffinity(0, sizeof allowed_, &allowed_) == 0) {}
  ~OwnProcessors() {
    if (known_) ::sched_setaffinity(0, sizeof allowed_, &allowed_);
  }
  OwnProcessors(const OwnProcessors&) = delete;
  OwnProcessors& operator=(const OwnProcessors&) = delete;

 private:
  cpu_set_t allowed_{};
  bool known_;
};

/// A wait that only another thread of the program can end.
bool waits_for_ever(const user_regs_struct& registers) {
  const auto operation = registers.rsi & FUTEX_CMD_MASK;
  return registers.rax == SYS_futex && registers.r10 == 0 &&
         (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET);
}

}  // namespace

ThreadStepper::ThreadStepper(const std::vector<std::string>& command) : command_(command) { start(); }

ThreadStepper::~ThreadStepper() {
  if (memory_ >= 0) ::close(memory_);
  if (!reaped_ && !threads_.empty()) {
    ::kill(threads_[0].id, SIGKILL);
    while (::waitpid(-1, nullptr, __WALL) > 0 || errno == EINTR) {
    }
  }
}

void ThreadStepper::start() {
  base::HeldSignals signals;
  const pid_t child = ::fork();
  if (child < 0) throw base::InputError(command_[0], "cannot be started", std::strerror(errno));
  if (child == 0) {
    signals.release_by_default();
    ::personality(ADDR_NO_RANDOMIZE);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    std::vector<std::string> own = command_;
    std::vector<char*> arguments;
    for (std::string& argument : own) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
    throw base::InputError(command_[0], "cannot be executed or traced",
                           "Is it a program, and may processes be traced here (ptrace)?");
  threads_.emplace_back().id = child;
  turns_.push_back(0);
  if (::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
    throw base::InputError(command_[0], "cannot be traced", std::strerror(errno));
  memory_ = ::open(fmt::format("/proc/{}/mem", child).c_str(), O_RDWR | O_CLOEXEC);
  fix_auxiliary_vector();
}

/// What the kernel tells a new process: 16 random bytes, of which libraries make canaries and seeds, become the same ones; the
/// kernel's functions that read clocks without a system call are not offered, since they try again until no tick comes between.
void ThreadStepper::fix_auxiliary_vector() const {
  user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, threads_[0].id, nullptr, &registers) != 0) return;
  // On the stack: argc, argv, 0, environment, 0, pairs.
  std::uint64_t at = registers.rsp, word = 0;
  for (unsigned zeros = 0; zeros < 2; zeros += word == 0 ? 1 : 0)
    if (read(at += 8, &word, sizeof word) != sizeof word) return;
  Elf64_auxv_t entry{};
  for (at += 8; read(at, &entry, sizeof entry) == sizeof entry && entry.a_type != AT_NULL;
       at += sizeof entry) {
    if (entry.a_type == AT_RANDOM) {
      constexpr std::array<char, 16> kBytes = {'H', 'e', 'd', 'd', 'l', 'e', ' ', 't',
                                               'h', 'r', 'e', 'a', 'd', 's', ' ', '.'};
      write(entry.a_un.a_val, kBytes.data(), kBytes.size());
    }
    if (entry.a_type == AT_SYSINFO_EHDR) {
      entry.a_type = AT_IGNORE;
      write(at, &entry, sizeof entry);
    }
  }
}

/// Clocks count executed instructions, as nanoseconds.
void ThreadStepper::give_time(unsigned number, const user_regs_struct& before) const {
  constexpr std::uint64_t kBegin = 1'000'000'000;  // seconds; before any file of the program's was written
  const std::uint64_t seconds = kBegin + executed_ / 1'000'000'000, rest = executed_ % 1'000'000'000;
  const auto give = [&](std::uint64_t address, std::uint64_t fraction) {
    const std::array<std::uint64_t, 2> value = {seconds, fraction};
    if (address != 0) write(address, value.data(), sizeof value);
  };
  switch (before.rax) {
    case SYS_clock_gettime:
      return give(before.rsi, rest);
    case SYS_gettimeofday:
      return give(before.rdi, rest / 1000);
    case SYS_time: {
      if (before.rdi != 0) write(before.rdi, &seconds, sizeof seconds);
      user_regs_struct after{};
      if (::ptrace(PTRACE_GETREGS, threads_[number].id, nullptr, &after) != 0) return;
      after.rax = seconds;
      ::ptrace(PTRACE_SETREGS, threads_[number].id, nullptr, &after);
      return;
    }
    default:
      return;
  }
}

/// The thread that executes and the one that makes it are on one processor, where handing over is cheapest. The first thread comes here with the
/// first birth, so that the program has seen by then how many processors there are.
void ThreadStepper::bind(pid_t id) const {
  if (!bound_) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(*bound_), &set);
  ::sched_setaffinity(id, sizeof set, &set);
}

void ThreadStepper::write(std::uint64_t address, const void* from, std::size_t bytes) const {
  (void)!::pwrite(memory_, from, bytes, static_cast<off_t>(address));
}

std::size_t ThreadStepper::read(std::uint64_t address, void* into, std::size_t bytes) const {
  const ssize_t n = ::pread(memory_, into, bytes, static_cast<off_t>(address));
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

user_fpregs_struct ThreadStepper::floating_point(unsigned thread) const {
  user_fpregs_struct registers{};
  ::ptrace(PTRACE_GETFPREGS, threads_[thread].id, nullptr, &registers);
  return registers;
}

bool ThreadStepper::is_system_call(std::uint64_t pc) {
  const auto [place, unknown] = system_calls_.try_emplace(pc, false);
  if (unknown) {
    std::array<std::uint8_t, 2> bytes{};
    place->second =
        read(pc, bytes.data(), bytes.size()) == bytes.size() && bytes[0] == 0x0f && bytes[1] == 0x05;
  }
  return place->second;
}

ThreadStepper::End ThreadStepper::run(Observer& observer) {
  const OwnProcessors restored;
  return run_turns(observer);
}

ThreadStepper::End ThreadStepper::run_turns(Observer& observer) {
  while (!turns_.empty()) {
    bool gone = false;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      if (!may_go(threads_[turns_[i]])) continue;
      turn(turns_[i], observer);
      gone = true;
    }
    if (!gone) wait_for_the_world(observer);
    turns_.erase(std::remove_if(turns_.begin(), turns_.end(),
                                [&](unsigned t) { return threads_[t].state == Thread::State::kEnded; }),
                 turns_.end());
  }
  if (!reaped_) {  // its first thread ended before others
    int status = 0;
    if (::waitpid(threads_[0].id, &status, __WALL) == threads_[0].id) end(0, status, observer);
  }
  return end_;
}

bool ThreadStepper::may_go(Thread& thread) {
  if (thread.state != Thread::State::kReady) return false;
  if (thread.held) {
    const Thread& parent = threads_[thread.parent];
    thread.held = parent.state == Thread::State::kReady && parent.steps - parent.last_birth < kHeadStart;
  }
  return !thread.held;
}

void ThreadStepper::turn(unsigned number, Observer& observer) {
  if (turns_.size() == 1 && !observer.watches(number)) return go(number, PTRACE_CONT, false, observer);
  user_regs_struct registers{};
  bool system_call = false;
  if (::ptrace(PTRACE_GETREGS, threads_[number].id, nullptr, &registers) == 0) {
    observer.before(number, registers);
    system_call = is_system_call(registers.rip);
    threads_[number].for_ever = system_call && waits_for_ever(registers);
  }
  ++threads_[number].steps;
  ++executed_;
  go(number, PTRACE_SINGLESTEP, system_call, observer);
  if (system_call && threads_[number].state == Thread::State::kReady) give_time(number, registers);
  // What it has done in the kernel, or its end, may have woken others: they have to be back before anybody goes on.
  if (system_call || threads_[number].state == Thread::State::kEnded) settle_waiting(observer);
}

/// Until its next stop, or until it waits in the kernel.
void ThreadStepper::go(unsigned number, int request, bool may_wait, Observer& observer) {
  for (;;) {
    Thread& thread = threads_[number];
    // The request fails if the whole program is being ended. The first thread's end is not told before all others' have been.
    const bool last_to_be_told = number == 0 && (thread.signal != 0 || turns_.size() > 1);
    const bool accepted =
        ::ptrace(static_cast<__ptrace_request>(request), thread.id, nullptr, thread.signal) == 0;
    thread.signal = 0;
    int status = 0;
    if (may_wait || !accepted || last_to_be_told) {
      switch (settles(thread, status)) {
        case Settled::kStatus:
          break;
        case Settled::kWaits:
          thread.state = Thread::State::kWaits;
          return;
        case Settled::kEnded:
          return ended_untold(number, observer);
      }
    } else {
      while (::waitpid(thread.id, &status, __WALL) < 0 && errno == EINTR) {
      }
    }
    if (!stopped(number, status, observer)) return;
    if (turns_.size() > 1) request = PTRACE_SINGLESTEP;  // it ran freely, and has given birth
  }
}

/// Whether the thread has not yet executed its instruction.
bool ThreadStepper::stopped(unsigned number, int status, Observer& observer) {
  if (!WIFSTOPPED(status)) {
    end(number, status, observer);
    return false;
  }
  if ((status >> 16) == PTRACE_EVENT_CLONE) {
    birth(number);
    return true;
  }
  const int signal = WSTOPSIG(status);
  if (signal == SIGTRAP) return false;
  if (signal != SIGSTOP) threads_[number].signal = signal;
  return true;
}

void ThreadStepper::birth(unsigned parent) {
  unsigned long id = 0;
  ::ptrace(PTRACE_GETEVENTMSG, threads_[parent].id, nullptr, &id);
  int status = 0;
  while (::waitpid(static_cast<pid_t>(id), &status, __WALL) < 0 && errno == EINTR) {
  }
  if (!bound_) {
    bound_ = ::sched_getcpu();
    bind(0);
    bind(threads_[parent].id);
  }
  bind(static_cast<pid_t>(id));
  Thread thread;
  thread.id = static_cast<pid_t>(id);
  thread.held = true;
  thread.parent = parent;
  threads_[parent].last_birth = threads_[parent].steps;
  turns_.push_back(static_cast<unsigned>(threads_.size()));
  threads_.push_back(thread);
}

void ThreadStepper::end(unsigned number, int status, Observer& observer) {
  if (number == 0) {
    reaped_ = true;
    if (WIFSIGNALED(status))
      end_.signal = WTERMSIG(status);
    else
      end_.status = WEXITSTATUS(status);
  }
  if (threads_[number].state == Thread::State::kEnded) return;
  threads_[number].state = Thread::State::kEnded;
  observer.ended(number);
}

void ThreadStepper::ended_untold(unsigned number, Observer& observer) {
  threads_[number].state = Thread::State::kEnded;
  observer.ended(number);
}

ThreadStepper::Settled ThreadStepper::settles(const Thread& thread, int& status) const {
  for (unsigned tries = 0;; ++tries) {
    const pid_t got = ::waitpid(thread.id, &status, __WALL | WNOHANG);
    if (got == thread.id) return Settled::kStatus;
    if (got < 0 && errno == ECHILD) return Settled::kEnded;
    const char state = scheduling_state(threads_[0].id, thread.id);
    if (state == 'S') return Settled::kWaits;
    if (state == 'Z' && thread.id == threads_[0].id) return Settled::kEnded;
    if (tries < 64)
      ::sched_yield();
    else
      ::usleep(20);
  }
}

void ThreadStepper::settle_waiting(Observer& observer) {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    Thread& thread = threads_[turns_[i]];
    int status = 0;
    if (thread.state != Thread::State::kWaits) continue;
    switch (settles(thread, status)) {
      case Settled::kStatus:
        thread.state = Thread::State::kReady;
        (void)stopped(turns_[i], status, observer);
        break;
      case Settled::kWaits:
        break;
      case Settled::kEnded:
        ended_untold(turns_[i], observer);
        break;
    }
  }
}

void ThreadStepper::wait_for_the_world(Observer& observer) {
  if (std::all_of(turns_.begin(), turns_.end(), [&](unsigned t) { return threads_[t].for_ever; }))
    throw base::InputError(
        command_[0],
        fmt::format("hangs: all {} threads that have not ended wait for each other", turns_.size()),
        "Does it end by itself, with these arguments?");
  int status = 0;
  const pid_t id = ::waitpid(-1, &status, __WALL);
  const auto place = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& t) {
    return t.id == id && t.state != Thread::State::kEnded;
  });
  if (id <= 0 || place == threads_.end()) return;
  place->state = Thread::State::kReady;
  (void)stopped(static_cast<unsigned>(place - threads_.begin()), status, observer);
  settle_waiting(observer);
}

}  // namespace heddle::native
