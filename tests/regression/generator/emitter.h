// Writes the statements of a kernel or of one of its functions.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "generator/tree.h"

namespace heddle::generator {

/// Types of what every function of a tree returns and takes, as in a prototype: a word, a long, a float; and
/// the depth that is left, the thread's number, its word of shared memory, its slots, the input, the
/// counters.
inline constexpr const char* kResultTypes = "(.param .b32 _, .param .b64 _, .param .f32 _)";
inline constexpr const char* kArgumentTypes =
    "(.param .b32 _, .param .b64 _, .param .f32 _, .param .b32 _, .param .b32 _, .param .b32 _, .param .b64 "
    "_, "
    ".param .b64 _, .param .b64 _)";

[[nodiscard]] inline std::string function_name(unsigned number) { return fmt::format("f{}", number); }

class Emitter {
 public:
  /// `function`: which of the tree's; none: the kernel.
  explicit Emitter(const KernelTree& tree, std::optional<unsigned> function = std::nullopt)
      : tree_(tree), function_(function) {}

  /// The text of the statements.
  void body(const Block& nodes) { block(nodes, {}); }
  [[nodiscard]] std::string take() { return std::move(out_); }
  /// Loop counters %c that the text uses.
  [[nodiscard]] unsigned counters() const { return counters_; }

  void line(const std::string& text) { out_ += "\t" + text + "\n"; }
  void label(const std::string& name) { out_ += name + ":\n"; }
  /// What a function returns, from its registers.
  void store_results();

 private:
  struct Loop {
    std::string break_label;
    std::string continue_label;
  };
  using LoopOr = std::optional<Loop>;

  std::string fresh_label(const char* what) { return fmt::format("$L_{}{}", what, labels_++); }
  std::string fresh_counter() { return fmt::format("%c{}", counters_++); }
  void block(const Block& nodes, const LoopOr& loop);
  void statement(const Node& node, const LoopOr& loop);
  void branch(const Node& node, const LoopOr& loop);
  void counted_loop(const Node& node);
  void uniform_loop(const Node& node, const LoopOr& loop);
  void chain(const Node& node, const LoopOr& loop);
  void leave(const Node& node);
  void exchange(const Node& node);
  void call(const Node& node);
  void give_back(const Node& node);

  const KernelTree& tree_;
  std::optional<unsigned> function_;
  std::string out_;
  unsigned labels_ = 0;
  unsigned counters_ = 0;
};

}  // namespace heddle::generator
