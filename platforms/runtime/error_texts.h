// The names of CUDA's error codes, and what they mean in words.
#pragma once

namespace heddle::runtime {

struct ErrorText {
  int code = 0;
  const char* name = "";
  const char* text = "";
};

/// "unrecognized error code" for a number that is none.
[[nodiscard]] const ErrorText& error_text(int code);

}  // namespace heddle::runtime
