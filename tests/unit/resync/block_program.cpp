#include "block_program.h"

#include <algorithm>
#include <sstream>

#include "resync/policy_names.h"
#include "resync/replay.h"

namespace heddle::resync::test {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

}  // namespace

BlockProgram::BlockProgram(const std::string& table, const std::map<std::string, std::uint64_t>& bases) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const auto word = words(line);
    if (word.empty()) continue;
    Block block;
    block.name = word[0];
    const std::size_t plus = word[1].find('+');
    block.address = plus == std::string::npos
                        ? std::stoul(word[1])
                        : bases.at(word[1].substr(0, plus)) + std::stoul(word[1].substr(plus + 1));
    block.instructions = static_cast<unsigned>(std::stoul(word[2]));
    block.end = word[3];
    block.successors.assign(word.begin() + 4, word.end());
    block_[block.name] = block;
  }
  for (const auto& [name, block] : block_) {
    std::vector<std::string> on_the_way;
    priority_[name] = longest_path(name, on_the_way);
  }
}

unsigned BlockProgram::longest_path(const std::string& name, std::vector<std::string>& on_the_way) const {
  const Block& block = block_.at(name);
  if (block.end == "ret" || block.successors.empty()) return 1;
  on_the_way.push_back(name);
  unsigned longest = 0;
  const bool calls = block.end == "call";
  for (std::size_t i = calls ? 1 : 0; i < block.successors.size(); ++i) {
    const std::string& next = block.successors[i];
    if (std::find(on_the_way.begin(), on_the_way.end(), next) != on_the_way.end()) continue;
    if (const unsigned path = longest_path(next, on_the_way); path != 0)
      longest = std::max(longest, path + (calls ? 0 : 1));
  }
  on_the_way.pop_back();
  return longest;
}

void BlockProgram::post_dominators(const std::string& pairs) {
  std::uint32_t id = 0;
  for (const std::string& pair : words(pairs)) {
    const std::size_t dash = pair.find('-');
    auto& begin = at_end_[pair.substr(0, dash)];
    if (!begin) begin = std::make_unique<PostDominatorMarks>();
    begin->begin = id;
    auto& end = at_begin_[pair.substr(dash + 1)];
    if (!end) end = std::make_unique<PostDominatorMarks>();
    end->ends.push_back(id++);
  }
  // One instruction may be both.
  for (auto& [name, marks] : at_end_)
    if (block_.at(name).instructions == 1)
      if (const auto found = at_begin_.find(name); found != at_begin_.end()) {
        marks->ends = found->second->ends;
        found->second->begin = marks->begin;
      }
}

std::vector<TraceRecord> BlockProgram::walk(const std::string& blocks) const {
  std::vector<TraceRecord> trace;
  std::vector<std::uint64_t> depths{0};
  for (const std::string& name : words(blocks)) {
    const Block& block = block_.at(name);
    for (unsigned i = 0; i < block.instructions; ++i) {
      const bool last = i + 1 == block.instructions;
      TraceRecord record;
      record.pc = block.address + i;
      const auto frame = frames_.find(name);
      record.depth = depths.back() + (frame == frames_.end() ? 0 : frame->second);
      record.priority = priority_.at(name);
      record.flags = i == 0 ? TraceRecord::kBlockBegin : 0;
      if (last) {
        if (block.end == "br") record.control = TraceRecord::kBranch | TraceRecord::kFallThrough;
        if (block.end == "jmp") record.control = TraceRecord::kBranch;
        if (block.end == "call") record.control = TraceRecord::kCall;
        if (block.end == "ret") record.control = TraceRecord::kReturn;
      }
      if (const auto found = at_begin_.find(name); i == 0 && found != at_begin_.end())
        record.marks = found->second.get();
      if (const auto found = at_end_.find(name); last && found != at_end_.end())
        record.marks = found->second.get();
      trace.push_back(record);
      if (last && block.end == "call") depths.push_back(record.depth + 8);
      if (last && block.end == "ret" && depths.size() > 1) depths.pop_back();
    }
  }
  return trace;
}

std::string BlockProgram::text(const std::vector<std::pair<std::uint64_t, ThreadMask>>& schedule) const {
  std::string result;
  for (std::size_t i = 0; i < schedule.size();) {
    const auto& [pc, mask] = schedule[i];
    const auto block = std::find_if(block_.begin(), block_.end(), [pc = pc](const auto& entry) {
      return pc >= entry.second.address && pc < entry.second.address + entry.second.instructions;
    });
    std::size_t times = 1;
    while (i + times < schedule.size() && schedule[i + times].second == mask &&
           schedule[i + times].first == pc + times &&
           pc + times < block->second.address + block->second.instructions)
      ++times;
    result += result.empty() ? "" : " ";
    result += block->first;
    if (times > 1) result += "*" + std::to_string(times);
    result += "{";
    for_each_thread(mask, [&](unsigned t) { result += std::to_string(t); });
    result += "}";
    i += times;
  }
  return result;
}

Outcome replay(TraceSet& traces, SelectionPolicy& policy, bool match_depth) {
  traces.rewind();
  Outcome outcome;
  ReplayOptions options;
  options.match_depth = match_depth;
  Replay run(traces, policy, options);
  while (run.step()) outcome.schedule.emplace_back(run.pc(), run.mask());
  const ReplayStatistics& statistics = run.statistics();
  statistics.check();
  outcome.fetches = statistics.fetches;
  outcome.cycles = statistics.cycles;
  outcome.instructions = statistics.instructions;
  return outcome;
}

Outcome replay(TraceSet& traces, const std::string& policy, bool match_depth) {
  const auto made = make_policy(policy);
  return replay(traces, *made, match_depth);
}

}  // namespace heddle::resync::test
