// Errors while saving results at the end of a command. One file that cannot be written must not prevent the
// others.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::cli {

class Problems {
 public:
  /// Records the base::Error that `step` throws.
  template <class Step>
  void attempt(const Step& step) {
    try {
      step();
    } catch (const base::Error& error) {
      errors_.push_back(error);
    }
  }
  [[nodiscard]] bool any() const { return !errors_.empty(); }
  /// All messages as one text, each on separate lines.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const base::Error& error : errors_) text += (text.empty() ? "" : "\n") + std::string(error.what());
    return text;
  }
  /// Throws them as one InputError, if there are any.
  void rethrow() const {
    if (any()) throw base::InputError("", text());
  }

 private:
  std::vector<base::Error> errors_;
};

}  // namespace heddle::cli
