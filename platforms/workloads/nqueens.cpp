#include <bit>
#include <numeric>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::nqueens {

namespace {

struct Shape {
  std::uint32_t rows, first_row;  // rows: at most kQueensRows of nqueens.cu
};

struct Task {  // QueensTask in nqueens.cu
  std::uint32_t columns, left, right;
};

class Board {
 public:
  Board(std::uint32_t rows, Random& random) : blocked_(rows) {
    for (std::uint32_t& row : blocked_)
      for (std::uint32_t column = 0; column < rows; ++column)
        if (random.below(12) == 0) row |= 1u << column;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& blocked() const { return blocked_; }

  /// Calls `visit` for each way to fill the rows from `row` to before `end`.
  template <class F>
  void each(const Task& task, std::size_t row, std::size_t end, F&& visit) const {
    if (row == end) {
      visit(task);
      return;
    }
    const std::uint32_t board = (1u << blocked_.size()) - 1;
    std::uint32_t squares = board & ~(task.columns | task.left | task.right | blocked_[row]);
    for (; squares != 0; squares &= squares - 1) {
      const std::uint32_t queen = 1u << std::countr_zero(squares);
      each({task.columns | queen, (task.left | queen) << 1, (task.right | queen) >> 1}, row + 1, end, visit);
    }
  }

 private:
  std::vector<std::uint32_t> blocked_;
};

Verdict run(const char* kernel, host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{8, 3}, Shape{11, 4}, Shape{15, 5});
  Random random(options.seed);
  const Board board(s.rows, random);
  std::vector<Task> tasks;
  board.each({0, 0, 0}, 0, s.first_row, [&](const Task& task) { tasks.push_back(task); });
  const auto n = static_cast<std::uint32_t>(tasks.size());

  const auto module = device.load_ptx_file(module_path("nqueens", options));
  const auto tasks_d = device.upload(tasks, "tasks"), blocked_d = device.upload(board.blocked(), "blocked");
  const auto ways_d = device.allocate(n * sizeof(std::uint32_t), "ways");
  const auto total_d = device.allocate(sizeof(std::uint64_t), "total");
  device.launch(
      module, kernel, cover(n, 64),
      host::Args().add(tasks_d).add(n).add(blocked_d).add(s.first_row).add(s.rows).add(ways_d).add(total_d));

  std::vector<std::uint32_t> ways(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    board.each(tasks[i], s.first_row, s.rows, [&](const Task&) { ++ways[i]; });
  const std::vector<std::uint64_t> total{std::accumulate(ways.begin(), ways.end(), std::uint64_t{0})};
  return combine({compare("ways", device.download<std::uint32_t>(ways_d, n), ways),
                  compare("total", device.download<std::uint64_t>(total_d, 1), total)});
}

}  // namespace

Workload nqueens() {
  return {.name = "nqueens",
          .description = "queens on a board with blocked squares: backtracking, a thread a partial board",
          .stresses = "a divergent loop with unpredictable branches, indexed local memory, 64-bit atomics",
          .source = "nqueens.cu",
          .run = [](host::Device& d, const Options& o) { return run("queens_count", d, o); }};
}

Workload nqueens_recursive() {
  return {.name = "nqueens-recursive",
          .description = "queens on a board with blocked squares by recursion, a thread a partial board",
          .stresses = "divergent recursion: calls, returns and stacks of uneven depth",
          .source = "nqueens.cu",
          .run = [](host::Device& d, const Options& o) { return run("queens_recurse", d, o); }};
}

}  // namespace heddle::workloads::nqueens
