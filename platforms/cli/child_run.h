// A step in a process of its own: SystemC elaborates once per process, so a command that simulates several GPUs forks for
// each. The parent must not have made a GPU.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace heddle::cli {

class ChildRun {
 public:
  /// Starts `body`, whose result result() returns. What it throws is thrown there, as base::Error.
  explicit ChildRun(const std::function<nlohmann::ordered_json()>& body);
  ~ChildRun();
  ChildRun(ChildRun&& other) noexcept;
  ChildRun(const ChildRun&) = delete;
  ChildRun& operator=(const ChildRun&) = delete;
  /// Waits for it; once.
  [[nodiscard]] nlohmann::ordered_json result();

  /// For poll(): readable when advance() has something to do.
  [[nodiscard]] int descriptor() const { return from_child_; }
  /// Reads what the child has written; waits if there is nothing yet. True: it has written all, and result() does not wait.
  bool advance();

 private:
  pid_t child_ = -1;
  int from_child_ = -1;
  std::string text_;  ///< its answer so far
};

}  // namespace heddle::cli
