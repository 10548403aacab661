#include "random_traces.h"

namespace heddle::resync::test {

RandomTraces::RandomTraces(std::uint64_t seed, const RandomShape& shape) : random_(seed), shape_(shape) {
  // Callees lie above or below their callers.
  const bool callees_below = pick(1) == 1;
  functions_.resize(shape.functions);
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    std::uint64_t address = 100 + 1000 * (callees_below ? functions_.size() - f : f);
    const std::size_t blocks = 2 + pick(5);
    functions_[f].blocks.resize(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
      Block& block = functions_[f].blocks[b];
      block.address = address;
      block.instructions = 1 + pick(3);
      address += block.instructions;
      block.priority =
          shape.reverse_priorities ? static_cast<std::uint32_t>(100'000 - block.address) : pick(20);
      if (b + 1 == blocks) {
        block.end = End::kReturn;
      } else if (pick(3) == 0 && f + 1 < functions_.size()) {
        block.end = End::kCall;
        block.target = f + 1 + pick(static_cast<unsigned>(functions_.size() - f - 2));
      } else if (pick(3) != 0) {
        block.end = pick(3) == 0 ? End::kJump : End::kBranch;
        // A jump backwards by itself would never end.
        block.target = block.end == End::kJump ? b + 1 + pick(static_cast<unsigned>(blocks - b - 2))
                                               : pick(static_cast<unsigned>(blocks - 1));
      }
      if (pick(2) == 0) {
        block.begin_marks = std::make_unique<PostDominatorMarks>();
        block.begin_marks->ends.push_back(pick(4));
        if (pick(3) == 0) block.begin_marks->ends.push_back(pick(4));
      }
      if (block.end == End::kBranch && block.instructions > 1 && pick(1) == 0) {
        block.end_marks = std::make_unique<PostDominatorMarks>();
        block.end_marks->begin = pick(4);
      }
    }
  }
  for (unsigned t = 0; t < shape.threads; ++t) {
    traces_.emplace_back();
    begins_ = true;
    walk(0, 0, 0, traces_.back());
  }
  if (shape.barriers)
    for (auto& trace : traces_)
      for (TraceRecord& record : trace)
        if (pick(15) == 0) record.flags |= TraceRecord::kAfterBarrier;
}

void RandomTraces::walk(std::size_t function, std::uint64_t depth, unsigned nested,
                        std::vector<TraceRecord>& trace) {
  for (std::size_t b = 0;;) {
    const Block& block = functions_[function].blocks[b];
    if (!shape_.equal_frames && pick(3) == 0) depth += 16;
    for (unsigned i = 0; i < block.instructions; ++i) {
      const bool last = i + 1 == block.instructions;
      TraceRecord record;
      record.pc = block.address + i;
      record.depth = depth;
      record.priority = block.priority;
      record.operands = pick(2);
      record.register_bytes = 8;
      record.addresses = static_cast<std::uint8_t>(pick(2));
      for (unsigned a = 0; a < record.addresses; ++a) record.address[a] = 64 * pick(100);
      record.flags = begins_ ? TraceRecord::kBlockBegin : 0;
      if (i == 0) record.marks = block.begin_marks.get();
      if (last) {
        if (block.end_marks) record.marks = block.end_marks.get();
        if (block.end == End::kBranch) record.control = TraceRecord::kBranch | TraceRecord::kFallThrough;
        if (block.end == End::kJump) record.control = TraceRecord::kBranch;
        if (block.end == End::kCall) record.control = TraceRecord::kCall;
        if (block.end == End::kReturn) record.control = TraceRecord::kReturn;
      }
      begins_ = record.ends_block();
      trace.push_back(record);
    }
    switch (block.end) {
      case End::kReturn:
        return;
      case End::kCall:
        walk(block.target, depth + 8, nested + 1, trace);
        ++b;
        break;
      case End::kJump:
        b = block.target;
        break;
      case End::kBranch:
        b = trace.size() < shape_.instructions && pick(1) == 0 ? block.target : b + 1;
        break;
      case End::kFall:
        ++b;
        break;
    }
  }
}

}  // namespace heddle::resync::test
