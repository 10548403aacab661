// Errors in PTX text: location, message, the offending line, and a caret below it.
#pragma once

#include <string>

#include "isa/kernel.h"

namespace heddle::ptx {

/// The line of `where` and a second line with a caret under its column, each indented by two blanks. Of a
/// very long line, only the part around the column. Empty if the text has no such line.
[[nodiscard]] std::string excerpt(const isa::SourceText& source, isa::SourceLoc where);

/// Throws base::InputError at "name:line:column" with `message` and the excerpt.
[[noreturn]] void fail(const isa::SourceText& source, isa::SourceLoc where, const std::string& message,
                       const std::string& remedy = {});

/// The remedy for everything that needs a texture, sampler or surface.
inline constexpr const char* kNoTextures =
    "Texture references are not modelled: use texture and surface objects.";

/// The candidate nearest to `word` by edit distance, if it is near enough to be a typing error; otherwise
/// empty.
class Suggestion {
 public:
  explicit Suggestion(std::string word) : word_(std::move(word)), distance_(word_.size() / 3 + 1) {}
  void offer(const std::string& candidate);
  /// "Did you mean 'add'?", or empty.
  [[nodiscard]] std::string text() const { return best_.empty() ? "" : "Did you mean '" + best_ + "'?"; }

 private:
  std::string word_;
  std::string best_;
  std::size_t distance_;  ///< only candidates at most this far are considered
};

/// `text` with control and non-ASCII bytes as \xNN, truncated to a readable length.
[[nodiscard]] std::string printable(std::string text);

}  // namespace heddle::ptx
