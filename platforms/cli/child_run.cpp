#include "cli/child_run.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/held_signals.h"
#include "cli/interrupt.h"

namespace heddle::cli {
namespace {

base::Error failed(const std::string& what) { return {base::ExitCode::kInternal, "", what}; }

nlohmann::ordered_json guarded(const std::function<nlohmann::ordered_json()>& body) {
  const auto error = [](base::ExitCode code, const std::string& where, const std::string& message,
                        const std::string& remedy) {
    return nlohmann::ordered_json{
        {"error",
         {{"code", static_cast<int>(code)}, {"where", where}, {"message", message}, {"remedy", remedy}}}};
  };
  try {
    return {{"result", body()}};
  } catch (const base::Error& e) {
    return error(e.code(), e.where(), e.message(), e.remedy());
  } catch (const std::bad_alloc&) {
    return error(base::ExitCode::kBadInput, "", "out of memory", "use a smaller input or fewer cores");
  } catch (const std::exception& e) {
    return error(base::ExitCode::kInternal, "", e.what(), "");
  }
}

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(to, text.data() + done, text.size() - done);
    if (count <= 0) return;  // the parent is gone
    done += static_cast<std::size_t>(count);
  }
}

/// In the child: it ends when its parent does, however that ends, and by a signal itself at once: the parent reports.
void end_with(pid_t parent, base::HeldSignals& signals) {
  signals.release_by_default();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it had ended before
}

}  // namespace

ChildRun::ChildRun(const std::function<nlohmann::ordered_json()>& body) {
  std::fflush(nullptr);
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw failed(std::string("pipe: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  base::HeldSignals signals;
  child_ = ::fork();
  if (child_ < 0) throw failed(std::string("fork: ") + std::strerror(errno));
  if (child_ == 0) {
    end_with(parent, signals);
    ::close(ends[0]);
    write_all(ends[1], guarded(body).dump());
    ::close(ends[1]);
    std::fflush(nullptr);
    ::_exit(0);  // no destructors of the parent's objects
  }
  ::close(ends[1]);
  from_child_ = ends[0];
}

ChildRun::ChildRun(ChildRun&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      from_child_(std::exchange(other.from_child_, -1)),
      text_(std::move(other.text_)) {}

ChildRun::~ChildRun() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::close(from_child_);
  ::waitpid(child_, nullptr, 0);
}

bool ChildRun::advance() {
  std::array<char, 1u << 16> buffer{};
  const ssize_t count = ::read(from_child_, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return false;
  if (count <= 0) return true;
  text_.append(buffer.data(), static_cast<std::size_t>(count));
  return false;
}

nlohmann::ordered_json ChildRun::result() {
  while (!advance()) {
  }
  ::close(from_child_);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    // Of the terminal, to all processes of the command.
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) throw interrupted(signal);
    if (signal == SIGKILL)
      throw base::Error(base::ExitCode::kBadInput, "", "a run's process was killed",
                        "if memory was short, use a smaller input or fewer cores");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text_.empty())
    throw failed("a run's process ended with status " + std::to_string(status));
  nlohmann::ordered_json answer = nlohmann::ordered_json::parse(text_);
  if (answer.contains("result")) return answer["result"];
  const auto& error = answer["error"];
  throw base::Error(static_cast<base::ExitCode>(error["code"].get<int>()), error["where"].get<std::string>(),
                    error["message"].get<std::string>(), error["remedy"].get<std::string>());
}

}  // namespace heddle::cli
