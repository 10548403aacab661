#include <optional>

#include "generator/random_source.h"
#include "generator/templates.h"
#include "generator/tree.h"

namespace heddle::generator {

namespace {

constexpr unsigned kMaxLoopNesting = 3;

class TreeMaker {
 public:
  TreeMaker(std::uint64_t seed, const TreeOptions& options) : random_(seed), options_(options) {
    tree_.seed = seed;
    tree_.barriers = random_.chance(65);
    exits_ = random_.chance(40);
    warp_operations_ = options.warp_operations && !exits_ && random_.chance(50);
  }

  KernelTree make() {
    choose_shape();
    if (options_.calls && random_.chance(50)) functions_ = random_.between(1, 3);
    tree_.body = block(random_.between(options_.statements / 2 + 1, options_.statements * 3 / 2 + 1),
                       {.uniform = true});
    for (unsigned i = 0; i < functions_; ++i) {
      // Nested calls multiply: functions are short and their loops turn only a few times.
      const Context context{.depth = options_.depth > 2 ? options_.depth - 2 : 0, .loops = 1, .function = i};
      tree_.functions.push_back({block(random_.between(2, 5), context)});
    }
    return std::move(tree_);
  }

 private:
  struct Context {
    unsigned depth = 0;
    unsigned loops = 0;                  ///< enclosing loops of either kind
    bool in_loop = false;                ///< inside a kLoop: break and continue have a target
    bool uniform = false;                ///< all live threads of the CTA come by here together
    std::optional<unsigned> function{};  ///< in a function: which
  };

  void choose_shape() {
    const std::uint32_t most = options_.max_threads;
    std::uint32_t threads = random_.chance(60) ? random_.between(1, most / 32 > 0 ? most / 32 : 1) * 32
                                               : random_.between(1, most);
    if (warp_operations_) threads = (threads + 31) / 32 * 32;
    tree_.shape.block.x = threads;
    if (threads % 4 == 0 && random_.chance(25)) tree_.shape.block = {threads / 4, 2, 2};
    tree_.shape.grid.x = random_.between(1, options_.max_ctas);
  }

  Block block(unsigned statements, Context context) {
    Block nodes;
    for (unsigned i = 0; i < statements; ++i) nodes.push_back(node(context));
    return nodes;
  }
  Block inner(Context context) {
    ++context.depth;
    return block(random_.between(1, 4), context);
  }
  Block divergent(Context context) {
    context.uniform = false;
    return inner(context);
  }

  Node node(const Context& context) {
    const bool may_nest = context.depth < options_.depth;
    const std::uint32_t roll = random_.below(100);
    if (context.uniform) {
      if (roll < 12 && tree_.barriers) return exchange();
      if (roll < 18 && may_nest && context.loops < 2) return uniform_loop(context);
      if (roll < 22 && exits_) return leave(0);
      if (roll < 28 && warp_operations_)
        return lines(NodeKind::kLines, random_warp_lines(random_, patterns()));
      if (roll < 31 && tree_.barriers && options_.operations && !exits_)
        return lines(NodeKind::kLines, random_barrier_lines(random_));
    } else if (context.function) {
      if (roll < 5) return leave(random_.below(exits_ && !tree_.barriers ? 3 : 2));
    } else if (roll < 4 && exits_ && !tree_.barriers) {
      return leave(random_.below(3));
    }
    if (context.in_loop && roll < 10) return jump(roll < 6 ? NodeKind::kBreak : NodeKind::kContinue);
    if (roll >= 92 && may_call(context)) return call(context);
    if (may_nest && roll < 45) {
      if (roll < 32) return if_node(context);
      if (roll < 39 && context.loops < kMaxLoopNesting) return loop(context);
      return switch_node(context);
    }
    if (roll < 55) {
      Node guarded = lines(NodeKind::kGuarded, random_simple_lines(random_, patterns()));
      guarded.conditions.push_back(random_condition(random_));
      return guarded;
    }
    return lines(NodeKind::kLines, random_lines(random_, patterns()));
  }

  static Node lines(NodeKind kind, std::vector<std::string> text) {
    Node node;
    node.kind = kind;
    node.lines = std::move(text);
    return node;
  }

  Node if_node(const Context& context) {
    Node node;
    node.kind = NodeKind::kIf;
    node.conditions.push_back(random_condition(random_));
    if (random_.chance(20)) node.conditions.push_back(random_condition(random_));
    node.style = random_.below(2);
    node.blocks.push_back(divergent(context));
    node.blocks.push_back(random_.chance(50) ? divergent(context) : Block{});
    return node;
  }

  Node loop(Context context) {
    Node node;
    node.kind = NodeKind::kLoop;
    node.style = random_.below(2);
    node.source = word();
    node.count = context.loops == 0 ? random_.pick<unsigned>({3, 7, 15}) : random_.pick<unsigned>({1, 3});
    ++context.loops;
    context.in_loop = true;
    node.blocks.push_back(divergent(context));
    return node;
  }

  Node uniform_loop(Context context) {
    Node node;
    node.kind = NodeKind::kUniform;
    node.count = random_.between(1, 4);
    ++context.loops;
    node.blocks.push_back(inner(context));
    return node;
  }

  Node switch_node(const Context& context) {
    Node node;
    node.kind = NodeKind::kSwitch;
    node.source = word();
    // 0: cases fall through; 4 and more: by brx.idx, and with 4 fall through
    node.style = random_.below(options_.indexed_branches ? 8 : 4);
    for (std::uint32_t i = random_.between(2, 4); i > 0; --i) node.blocks.push_back(divergent(context));
    node.blocks.push_back(divergent(context));
    return node;
  }

  Node jump(NodeKind kind) {
    Node node;
    node.kind = kind;
    node.conditions.push_back(random_condition(random_));
    return node;
  }

  /// Style 0: guarded exit; 1: guarded ret; 2: a branch around an exit.
  Node leave(unsigned style) {
    Node node = jump(NodeKind::kExit);
    node.style = style;
    return node;
  }

  Node exchange() {
    Node node;
    node.kind = NodeKind::kExchange;
    node.source = word();
    node.lines.push_back(word());  // destination
    node.count = random_.between(0, 40);
    // A barrier with a thread count: whether threads that have exited fill it is an ambiguity of PTX
    // ([AWARE:A26]), so only where none can have.
    node.style = exits_ ? 0 : random_.below(2);
    return node;
  }

  /// In loops calls are rare, or kernels would take too long.
  bool may_call(const Context& context) {
    if (functions_ == 0) return false;
    if (context.function) return context.depth <= options_.depth && random_.chance(50);
    return context.loops == 0 || (context.loops == 1 && random_.chance(30));
  }

  Node call(const Context& context) {
    Node node;
    node.kind = NodeKind::kCall;
    node.source = word();
    node.lines = {word(), "%w" + std::to_string(random_.below(kLongs)),
                  "%f" + std::to_string(random_.below(kFloats))};
    // A function calls itself or one behind it; itself only outside of loops.
    const unsigned first = context.function ? *context.function : 0;
    node.count = random_.between(first, functions_ - 1);
    if (context.function && context.in_loop && node.count == *context.function)
      return lines(NodeKind::kLines, {});
    const unsigned behind = context.function ? *context.function + 1 : 0;
    if (behind < functions_ && random_.chance(40)) {
      node.style = 1;
      node.count = behind;  // the first that data may choose
    }
    return node;
  }

  [[nodiscard]] PatternOptions patterns() const { return {tree_.barriers, options_.operations}; }

  std::string word() { return "%r" + std::to_string(random_.below(kWords)); }

  RandomSource random_;
  TreeOptions options_;
  KernelTree tree_;
  bool exits_ = false;
  bool warp_operations_ = false;
  unsigned functions_ = 0;
};

}  // namespace

KernelTree generate_tree(std::uint64_t seed, const TreeOptions& options) {
  return TreeMaker(seed, options).make();
}

}  // namespace heddle::generator
