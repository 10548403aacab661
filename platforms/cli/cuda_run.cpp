#include "cli/cuda_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "base/held_signals.h"
#include "base/text_input.h"
#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/order_notes.h"
#include "runtime/protocol.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 20;
constexpr int kSignalExit = 128;
constexpr int kGroupSignalMs = 200;  // in which a signal to a process and one to its group have both come

/// A folder for the socket and what a check compares, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "heddle-cuda-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw base::InputError("heddle cuda", fmt::format("{}: {}", name, std::strerror(errno)),
                             "Set TMPDIR to a folder to write to.");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return folder + "/" + program;
  return program;
}

/// The shared runtime that the program asks for, to be loaded before any other of that name; empty: it is no such program.
/// Refuses programs with the closed static runtime.
std::string runtime_of(const std::string& program) {
  std::error_code ignored;
  if (::access(program.c_str(), X_OK) != 0 || fs::is_directory(program, ignored))
    throw base::InputError("heddle cuda",
                           fmt::format("'{}' is no program that can be run: {}", program,
                                       std::strerror(errno == 0 ? EACCES : errno)),
                           "Give a program and its arguments behind the options.");
  std::ifstream file(program, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  const std::string bytes = std::move(content).str();
  if (!bytes.starts_with("\x7f"
                         "ELF") ||
      bytes.find(".nv_fatbin") == std::string::npos)
    return {};
  for (const char* const name : {"libcudart.so.13", "libcudart.so.12"})
    if (bytes.find(name) != std::string::npos) return runtime_folder() + "/" + name;
  if (bytes.find(runtime::kSocketVariable) != std::string::npos) return {};
  throw base::InputError(
      "heddle cuda", fmt::format("'{}' holds another CUDA runtime, linked statically", program),
      fmt::format(
          "Link it again, to the shared runtime: nvcc -cudart shared, or without any change to its build:\n"
          "  NVCC_APPEND_FLAGS=-L{} make",
          runtime_folder()));
}

volatile std::sig_atomic_t asked_signal = 0;  ///< the last that asked the command to end
volatile std::sig_atomic_t from_a_process =
    0;  ///< it may be for the command alone, unlike one of the terminal

void note_signal(int signal, siginfo_t* info, void* /*context*/) {
  asked_signal = signal;
  if (info->si_code <= 0) from_a_process = 1;
}

void note_signals() {
  for (const int signal : base::kEndSignals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_sigaction = note_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    ::sigaction(signal, &action, nullptr);
  }
}

/// One run of the program, and the processes that serve it.
class ProgramRun {
 public:
  ProgramRun(const CudaSettings& settings, const ScratchFolder& scratch, std::string name, bool captures)
      : settings_(settings), scratch_(scratch), name_(std::move(name)), captures_(captures) {}
  ~ProgramRun() {
    if (listener_ >= 0) ::close(listener_);
  }
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  int run(bool shows) {
    shows_ = shows;
    listen();
    start();
    const auto began = Clock::now();
    while (program_ != 0 || !servers_.empty()) {
      wait_a_little();
      reap();
      pass_signals_on();
      const std::chrono::duration<double> passed = Clock::now() - began;
      if (settings_.run.max_seconds > 0 && passed.count() > settings_.run.max_seconds && !ended_) end_early();
    }
    read_output();
    return exit_code_;
  }

  [[nodiscard]] int sessions() const { return sessions_; }
  [[nodiscard]] const std::string& output() const { return output_; }
  [[nodiscard]] std::string copies() const { return recorded(""); }
  [[nodiscard]] std::string order_notes() const { return recorded(kOrderNotes); }

 private:
  [[nodiscard]] std::string recorded(const char* what) const {
    std::string all;
    for (int i = 1; i <= sessions_; ++i)
      all += base::read_file(copies_file(i) + what, "record of copies", base::kMostModuleBytes);
    return all;
  }
  [[nodiscard]] std::string copies_file(int session) const {
    return scratch_.file(fmt::format("copies-{}-{}", name_, session));
  }

  void listen() {
    socket_path_ = scratch_.file("socket-" + name_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_path_.size() >= sizeof address.sun_path)
      throw base::InputError("heddle cuda", fmt::format("{} is too long for a socket", socket_path_),
                             "Set TMPDIR to a folder with a shorter name.");
    std::strcpy(address.sun_path, socket_path_.c_str());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, SOMAXCONN) != 0)
      throw base::InputError("heddle cuda", fmt::format("{}: {}", socket_path_, std::strerror(errno)));
  }

  void start() {
    const std::string program = found_in_path(settings_.command.front());
    const std::string preload = runtime_of(program);
    int pipe_ends[2] = {-1, -1};
    if (captures_ && ::pipe2(pipe_ends, O_CLOEXEC) != 0)
      throw base::InputError("heddle cuda", fmt::format("pipe: {}", std::strerror(errno)));
    std::fflush(stdout);
    base::HeldSignals signals;
    program_ = ::fork();
    if (program_ < 0) throw base::InputError("heddle cuda", fmt::format("fork: {}", std::strerror(errno)));
    if (program_ == 0) {
      signals.release_by_default();
      // Here they are errors of a write.
      for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
      if (captures_) ::dup2(pipe_ends[1], STDOUT_FILENO);
      const auto put_first = [](const char* variable, const std::string& value, char separator) {
        const char* const before = std::getenv(variable);
        ::setenv(variable,
                 (before == nullptr || *before == '\0' ? value : value + separator + before).c_str(), 1);
      };
      put_first("LD_LIBRARY_PATH", runtime_folder(), ':');
      if (!preload.empty()) put_first("LD_PRELOAD", preload, ':');
      ::setenv(runtime::kSocketVariable, socket_path_.c_str(), 1);
      ::unsetenv("SC_COPYRIGHT_MESSAGE");
      std::vector<char*> words;
      for (const std::string& word : settings_.command) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      ::execv(program.c_str(), words.data());
      if (errno == ENOEXEC) ::execvp(program.c_str(), words.data());  // a script without a first line
      fmt::print(stderr, "heddle: error: {}: {}\n", program, std::strerror(errno));
      ::_exit(127);
    }
    if (captures_) {
      ::close(pipe_ends[1]);
      output_end_ = pipe_ends[0];
      ::fcntl(output_end_, F_SETFL, O_NONBLOCK);
    }
    // The command stays until the program and its servers have ended.
    note_signals();
  }

  void wait_a_little() {
    pollfd files[2] = {{listener_, POLLIN, 0}, {output_end_, POLLIN, 0}};
    ::poll(files, output_end_ >= 0 ? 2 : 1, kPollMs);
    read_output();
    if ((files[0].revents & POLLIN) == 0) return;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) serve(socket);
  }

  void serve(int socket) {
    ++sessions_;
    std::fflush(stdout);
    base::HeldSignals signals;
    const pid_t server = ::fork();
    if (server == 0) {
      handle_signals();
      handle_passed_signals();
      signals.release();
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a command that is killed leaves no server behind
      ::close(listener_);
      CudaSettings settings = settings_;
      if (!settings.run.out.empty() && sessions_ > 1)
        settings.run.out += fmt::format("/session-{}", sessions_);
      const std::string copies = captures_ ? copies_file(sessions_) : std::string{};
      ::_exit(report_errors([&] { return serve_cuda_program(socket, settings, copies); }));
    }
    ::close(socket);
    if (server > 0) servers_.push_back(server);
  }

  void reap() {
    int status = 0;
    if (program_ != 0 && ::waitpid(program_, &status, WNOHANG) == program_) {
      program_ = 0;
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalExit + WTERMSIG(status);
      if (WIFSIGNALED(status) && !ended_)
        fmt::print(stderr, "heddle: the program has ended with signal {} ({})\n", WTERMSIG(status),
                   ::strsignal(WTERMSIG(status)));
    }
    std::erase_if(servers_, [&](pid_t server) {
      if (::waitpid(server, &status, WNOHANG) != server) return false;
      if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(base::ExitCode::kInternal))
        exit_code_ = WEXITSTATUS(status);
      return true;
    });
  }

  /// A signal to the command alone must reach the program and its servers. One that a process sends to the whole group has reached them
  /// after a while; servers then take no notice of this one.
  void pass_signals_on() {
    if (from_a_process == 0) return;
    if (!passes_on_at_) passes_on_at_ = Clock::now() + std::chrono::milliseconds(kGroupSignalMs);
    if (Clock::now() < *passes_on_at_) return;
    from_a_process = 0;
    passes_on_at_.reset();
    for (const pid_t server : servers_) ::kill(server, passed_on_ ? static_cast<int>(asked_signal) : SIGUSR1);
    if (program_ != 0) ::kill(program_, static_cast<int>(asked_signal));
    passed_on_ = true;
  }

  /// --max-seconds: servers report what there is.
  void end_early() {
    ended_ = true;
    fmt::print(stderr, "heddle: --max-seconds {} reached: ending with what there is so far\n",
               settings_.run.max_seconds);
    if (settings_.run.device == RunDevice::kModel && settings_.run.detail.empty() &&
        settings_.run.estimate.empty())
      fmt::print(stderr,
                 "  The whole program takes less with a part simulated: --detail '*:1-2' (the first two "
                 "launches of each "
                 "kernel), --estimate 8 (some CTAs of each launch)\n");
    for (const pid_t server : servers_)
      ::kill(server, SIGTERM);  // first: they note it before the program's end
    if (program_ != 0) ::kill(program_, SIGKILL);
    late_code_ = static_cast<int>(base::ExitCode::kCycleLimit);
  }

  void read_output() {
    if (output_end_ < 0) return;
    char buffer[1 << 16];
    ssize_t got = 0;
    while ((got = ::read(output_end_, buffer, sizeof buffer)) > 0) {
      output_.append(buffer, static_cast<std::size_t>(got));
      if (shows_) {
        std::fwrite(buffer, 1, static_cast<std::size_t>(got), stdout);
        std::fflush(stdout);
      }
    }
    if (got == 0) {
      ::close(output_end_);
      output_end_ = -1;
    }
  }

 public:
  /// kCycleLimit after --max-seconds; 0: the program has ended by itself.
  [[nodiscard]] int late_code() const { return late_code_; }

 private:
  const CudaSettings& settings_;
  const ScratchFolder& scratch_;
  std::string name_;
  bool captures_;
  bool shows_ = true, ended_ = false, passed_on_ = false;
  std::optional<Clock::time_point> passes_on_at_;
  std::string socket_path_, output_;
  int listener_ = -1, output_end_ = -1, sessions_ = 0, exit_code_ = 0, late_code_ = 0;
  pid_t program_ = 0;
  std::vector<pid_t> servers_;
};

/// "line 3: 'a' and 'b'", or empty: the texts are the same.
std::string difference(const std::string& one, const std::string& other) {
  if (one == other) return {};
  std::istringstream first(one), second(other);
  std::string a, b;
  for (int line = 1;; ++line) {
    const bool has_a = static_cast<bool>(std::getline(first, a)),
               has_b = static_cast<bool>(std::getline(second, b));
    if (!has_a && !has_b) return "the end of the last line";
    if (!has_a || !has_b || a != b)
      return fmt::format("line {}: '{}' and '{}'", line, has_a ? a : "(end)", has_b ? b : "(end)");
  }
}

/// A copy to the host: its bytes, and digests of them as they are and with the names of addresses.
struct Copy {
  std::string bytes, raw, named;
  [[nodiscard]] auto by_raw() const { return std::tie(bytes, raw); }
  [[nodiscard]] auto by_name() const { return std::tie(bytes, named); }
  [[nodiscard]] bool is_same(const Copy& other) const {
    return by_raw() == other.by_raw() || by_name() == other.by_name();
  }
};

std::vector<Copy> copies_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<Copy> copies;
  for (Copy each; in >> each.bytes >> each.raw >> each.named;) copies.push_back(each);
  return copies;
}

/// Those of `from` that `others` do not have, by what `key` says of them; in its order.
template <class Key>
std::vector<Copy> without(std::vector<Copy> from, std::vector<Copy> others, Key key) {
  const auto before = [&](const Copy& a, const Copy& b) { return (a.*key)() < (b.*key)(); };
  std::ranges::sort(from, before);
  std::ranges::sort(others, before);
  std::vector<Copy> left;
  std::ranges::set_difference(from, others, std::back_inserter(left), before);
  return left;
}

/// The number of the first copy that is another one.
std::size_t first_difference(const std::vector<Copy>& one, const std::vector<Copy>& other) {
  std::size_t i = 0;
  while (i < one.size() && i < other.size() && one[i].is_same(other[i])) ++i;
  return i;
}

std::string text_of(const std::vector<Copy>& copies, std::size_t number) {
  if (number >= copies.size()) return "(none)";
  return fmt::format("{} {}", copies[number].bytes, copies[number].raw);
}

enum class Order { kSame, kOther, kNone };

/// Whether the copies of two runs are the same in their order, or in another one, in which several threads of the host come.
Order order_of(const std::vector<Copy>& one, const std::vector<Copy>& other) {
  if (one.size() != other.size()) return Order::kNone;
  if (std::ranges::equal(one, other, [](const Copy& a, const Copy& b) { return a.is_same(b); }))
    return Order::kSame;
  const auto left = without(one, other, &Copy::by_raw), right = without(other, one, &Copy::by_raw);
  return without(left, right, &Copy::by_name).empty() ? Order::kOther : Order::kNone;
}

/// The program's results on both devices: exit codes and what it has copied back must be the same. Its output may hold times, so a
/// difference is only said.
int compare(const ProgramRun& model, int model_code, const ProgramRun& oracle, int oracle_code) {
  const std::vector<Copy> of_model = copies_of(model.copies()), of_oracle = copies_of(oracle.copies());
  const Order order = order_of(of_model, of_oracle);
  const std::string output = difference(model.output(), oracle.output());
  if (!output.empty())
    fmt::print(stderr, "heddle: check: the output differs in {} (of the model and of the oracle)\n", output);
  if (order != Order::kNone && model_code == oracle_code) {
    fmt::print(
        stderr, "heddle: check: {} copies to the host and exit code {} are the same on the oracle{}{}\n",
        of_model.size(), model_code, output.empty() ? ", and so is the output" : "",
        order == Order::kOther ? "; the copies came in another order, as those of several host threads do"
                               : "");
    return model_code;
  }
  const std::size_t first = first_difference(of_model, of_oracle);
  throw base::Error(base::ExitCode::kMismatch, "heddle cuda --check",
                    order != Order::kNone
                        ? fmt::format("exit code {} on the model, {} on the oracle", model_code, oracle_code)
                        : fmt::format("copies to the host differ (bytes, digest), copy {}: '{}' and '{}'",
                                      first + 1, text_of(of_model, first), text_of(of_oracle, first)),
                    remedy_for_difference(order_notes_of(model.order_notes()), first));
}

/// What there is so far has nothing to be compared with.
int unchecked(int code) {
  fmt::print(stderr, "heddle: check: ended early: nothing has been compared\n");
  return code == 0 ? kSignalExit + static_cast<int>(asked_signal) : code;
}

}  // namespace

std::string runtime_folder() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  return (command.parent_path() / HEDDLE_RUNTIME_FROM_COMMAND).lexically_normal().string();
}

int run_cuda_program(const CudaSettings& settings) {
  const ScratchFolder scratch;
  ProgramRun run(settings, scratch, "model", settings.check);
  const int code = run.run(true);
  if (run.late_code() != 0) return run.late_code();
  if (run.sessions() == 0)
    fmt::print(
        stderr,
        "heddle: the program has called no function of this CUDA runtime that uses the device\n"
        "  If it starts programs with NVIDIA's static runtime, link these again: NVCC_APPEND_FLAGS=-L{}\n"
        "  Libraries with a runtime of their own (cuFFT, cuBLAS, cuRAND's host interface ...) do not run "
        "here\n",
        runtime_folder());
  if (!settings.check) return code;
  if (asked_signal != 0) return unchecked(code);
  CudaSettings again = settings;
  again.run.device = RunDevice::kOracle;
  again.run.out.clear();
  again.run.detail.clear();
  again.run.estimate.clear();
  again.quiet = true;
  ProgramRun oracle(again, scratch, "oracle", true);
  const int other = oracle.run(false);
  if (oracle.late_code() != 0 || asked_signal != 0) return unchecked(oracle.late_code());
  return compare(run, code, oracle, other);
}

}  // namespace heddle::cli
