#include "main/run_tests.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tests {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kSkipped = 77;
constexpr std::string_view kEach = "--each=";

/// "A*:B.c-*.d" as GoogleTest reads it: any of the patterns in front of the dash, none of those behind it.
bool chosen(const std::string& name, const std::string& filter) {
  const auto any = [&](const std::string& patterns) {
    std::istringstream list(patterns);
    for (std::string pattern; std::getline(list, pattern, ':');)
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
    return false;
  };
  const std::size_t dash = filter.find('-');
  const std::string wanted = filter.substr(0, dash);
  return (wanted.empty() || any(wanted)) && (dash == std::string::npos || !any(filter.substr(dash + 1)));
}

std::vector<std::string> chosen_tests() {
  const std::string filter = GTEST_FLAG_GET(filter);
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::vector<std::string> names;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
      if (chosen(name, filter)) names.push_back(name);
    }
  }
  return names;
}

volatile std::sig_atomic_t running = 0;  // the child, leader of a process group

void end_with_the_child(int signal) {
  if (running != 0) kill(-running, SIGKILL);
  std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
}

struct Child {
  pid_t id = 0;
  int output = -1;
};

/// fork(): std::nullopt in the child, which writes both its streams to the parent and dies with it.
std::optional<Child> start() {
  std::array<int, 2> ends{};
  std::fflush(nullptr);
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
  const pid_t id = fork();
  if (id < 0) throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
  if (id == 0) {
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    (void)dup2(ends[1], STDOUT_FILENO);
    (void)dup2(ends[1], STDERR_FILENO);
    return std::nullopt;
  }
  (void)setpgid(id, id);
  running = id;
  close(ends[1]);
  return Child{id, ends[0]};
}

struct End {
  std::string output;
  int status = 0;
  bool too_late = false;
};

/// Until the child and all that it has started have closed their output, or the time is over.
End wait_for(const Child& child, std::chrono::seconds limit) {
  constexpr std::size_t kMost = std::size_t{4} << 20;
  End end;
  const Clock::time_point until = Clock::now() + limit;
  std::array<char, 65536> bytes{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waited{child.output, POLLIN, 0};
    const int ready = left > 0 ? poll(&waited, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      end.too_late = true;
      kill(-child.id, SIGKILL);
      break;
    }
    const ssize_t count = read(child.output, bytes.data(), bytes.size());
    if (count <= 0) break;
    end.output.append(bytes.data(), std::min(static_cast<std::size_t>(count), kMost - end.output.size()));
  }
  close(child.output);
  while (waitpid(child.id, &end.status, 0) < 0 && errno == EINTR) continue;
  running = 0;
  return end;
}

std::string why(const End& end, std::chrono::seconds limit) {
  if (end.too_late) return "it took more than " + std::to_string(limit.count()) + " s";
  if (WIFSIGNALED(end.status)) return "it died: " + std::string(strsignal(WTERMSIG(end.status)));
  return "exit code " + std::to_string(WEXITSTATUS(end.status));
}

int run_here(void (*prepare)()) {
  if (prepare != nullptr) prepare();
  return RUN_ALL_TESTS();
}

int run_each(const char* program, std::chrono::seconds limit, void (*prepare)()) {
  const std::vector<std::string> names = chosen_tests();
  std::vector<std::string> failed;
  std::size_t skipped = 0;
  std::signal(SIGINT, end_with_the_child);
  std::signal(SIGTERM, end_with_the_child);
  for (const std::string& name : names) {
    const Clock::time_point begin = Clock::now();
    const std::optional<Child> child = start();
    if (!child) {
      GTEST_FLAG_SET(filter, name);
      const int code = run_here(prepare);
      std::fflush(nullptr);
      // No destructors of what the parent has: each page that they write would be copied.
      _exit(code == 0 && testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? kSkipped : code);
    }
    const End end = wait_for(*child, limit);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    const bool exited = !end.too_late && WIFEXITED(end.status);
    if (exited && WEXITSTATUS(end.status) == 0) {
      std::printf("[       OK ] %s (%ld ms)\n", name.c_str(), static_cast<long>(took));
      continue;
    }
    std::fwrite(end.output.data(), 1, end.output.size(), stdout);
    if (exited && WEXITSTATUS(end.status) == kSkipped) {
      ++skipped;
      continue;
    }
    failed.push_back(name);
    std::printf("[  FAILED  ] %s: %s\n", name.c_str(), why(end, limit).c_str());
  }
  std::printf("%zu tests, %zu skipped, %zu failed\n", names.size(), skipped, failed.size());
  for (const std::string& name : failed)
    std::printf("failed: %s; alone: %s --gtest_filter=%s\n", name.c_str(), program, name.c_str());
  if (names.empty()) std::printf("no test is called %s\n", GTEST_FLAG_GET(filter).c_str());
  if (names.empty() || !failed.empty()) return EXIT_FAILURE;
  return skipped == names.size() ? kSkipped : EXIT_SUCCESS;
}

}  // namespace

int run_tests(int argc, char** argv, void (*prepare)()) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kEach)) continue;
    const int seconds = std::atoi(argument.substr(kEach.size()).data());
    if (seconds > 0) return run_each(argv[0], std::chrono::seconds(seconds), prepare);
    std::fprintf(stderr, "%s: %s: no number of seconds above 0\n", argv[0], argv[i]);
    return EXIT_FAILURE;
  }
  return run_here(prepare);
}

}  // namespace heddle::tests
