#include "resync/supersequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"

namespace heddle::resync {
namespace {

/// Breadth first: layer f holds the positions that some f fetches lead to.
class Search {
 public:
  Search(const std::vector<std::vector<std::uint64_t>>& traces, std::size_t most_states)
      : traces_(traces), most_states_(most_states) {
    std::uint64_t radix = 1;
    for (const auto& trace : traces) {
      radix_.push_back(radix);
      if (__builtin_mul_overflow(radix, trace.size() + 1, &radix)) too_large();
      end_ += radix_.back() * trace.size();
    }
  }

  std::uint64_t run() {
    layers_.push_back({0});
    depth_[0] = 0;
    while (!depth_.contains(end_)) {
      std::vector<std::uint64_t> next;
      for (const std::uint64_t state : layers_.back())
        for (const auto& [symbol, to] : moves(state)) {
          if (!depth_.emplace(to, layers_.size()).second) continue;
          if (depth_.size() > most_states_) too_large();
          next.push_back(to);
        }
      layers_.push_back(std::move(next));
    }
    return layers_.size() - 1;
  }

  void collect(std::size_t most, std::vector<std::vector<std::uint64_t>>& sequences) {
    // States from which the end can be reached in time.
    std::unordered_map<std::uint64_t, bool> useful;
    const std::uint64_t length = layers_.size() - 1;
    useful[end_] = true;
    for (std::uint64_t layer = length; layer-- > 0;)
      for (const std::uint64_t state : layers_[layer])
        for (const auto& [symbol, to] : moves(state))
          if (depth_[to] == layer + 1 && useful[to]) useful[state] = true;
    std::vector<std::uint64_t> path;
    walk(0, most, useful, path, sequences);
  }

 private:
  using Moves = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  ///< symbol, state; ascending
  [[nodiscard]] Moves moves(std::uint64_t state) const {
    Moves result;
    for (std::size_t t = 0; t < traces_.size(); ++t) {
      const std::uint64_t at = state / radix_[t] % (traces_[t].size() + 1);
      if (at == traces_[t].size()) continue;
      const std::uint64_t symbol = traces_[t][at];
      const auto known =
          std::find_if(result.begin(), result.end(), [symbol](const auto& m) { return m.first == symbol; });
      if (known == result.end())
        result.emplace_back(symbol, state + radix_[t]);
      else
        known->second += radix_[t];
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  void walk(std::uint64_t state, std::size_t most, std::unordered_map<std::uint64_t, bool>& useful,
            std::vector<std::uint64_t>& path, std::vector<std::vector<std::uint64_t>>& sequences) {
    if (sequences.size() == most) return;
    if (state == end_) {
      sequences.push_back(path);
      return;
    }
    for (const auto& [symbol, to] : moves(state)) {
      if (depth_[to] != path.size() + 1 || !useful[to]) continue;
      path.push_back(symbol);
      walk(to, most, useful, path, sequences);
      path.pop_back();
    }
  }
  [[noreturn]] void too_large() const {
    throw base::InputError("optimum", fmt::format("the traces have more than {} states", most_states_),
                           "Use fewer threads or shorter traces.");
  }

  const std::vector<std::vector<std::uint64_t>>& traces_;
  std::size_t most_states_;
  std::vector<std::uint64_t> radix_;
  std::uint64_t end_ = 0;
  std::vector<std::vector<std::uint64_t>> layers_;
  std::unordered_map<std::uint64_t, std::uint64_t> depth_;
};

}  // namespace

Supersequences shortest_supersequence(const std::vector<std::vector<std::uint64_t>>& traces,
                                      std::size_t most_sequences, std::size_t most_states) {
  Search search(traces, most_states);
  Supersequences result;
  result.length = search.run();
  if (most_sequences != 0) search.collect(most_sequences, result.sequences);
  return result;
}

}  // namespace heddle::resync
