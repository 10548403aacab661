// One simulation per process: SystemC elaborates once, so a test that compares several runs forks for each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace heddle::tb {

/// Runs `simulate()` (returning JSON) in a child process and returns its result. A child that throws or dies
/// yields {"errors": [reason]}.
template <class Simulate>
nlohmann::ordered_json isolated(Simulate simulate) {
  std::fflush(nullptr);
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return {{"errors", {"pipe failed"}}};
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    nlohmann::ordered_json result;
    try {
      result = simulate();
    } catch (const std::exception& exception) {
      result = {{"errors", {exception.what()}}};
    }
    const std::string text = result.dump();
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count = write(pipe_ends[1], text.data() + done, text.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    close(pipe_ends[1]);
    std::fflush(nullptr);
    _exit(0);  // no destructors of the parent's state
  }
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count; (count = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return {{"errors", {"the simulation died with status " + std::to_string(status)}}};
  return nlohmann::ordered_json::parse(text);
}

}  // namespace heddle::tb
