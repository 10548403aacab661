// Records the traces of PTX threads: a tap of the oracle that writes the published record format. One folder per set
// of threads; the threads of a set are consecutive ones of a CTA.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "oracle/instruction_tap.h"
#include "resync/record_format.h"

namespace heddle::resync {

struct RecorderOptions {
  unsigned threads = 16;           ///< per set
  unsigned sets = 4;               ///< per launch, spread evenly over the grid
  unsigned launches = 16;          ///< launches beyond are not recorded
  std::uint64_t most_records = 0;  ///< per thread; a thread's trace ends there. 0: all
  /// PTX has no SP ([Resync:S11]): depth is the local memory in use and 8 bytes per activation record; false: these 8
  /// bytes only, so that depth orders threads as the call level does.
  bool frame_bytes = true;
};

/// Whether a folder has the name of a set.
[[nodiscard]] bool is_set_name(const std::string& name);

class TraceRecorder final : public oracle::InstructionTap {
 public:
  TraceRecorder(std::filesystem::path folder, const RecorderOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  void begin_launch(const std::string& kernel, const host::Launch& shape) override;
  [[nodiscard]] bool wants(std::uint64_t cta, std::uint32_t thread) override {
    return sets_.contains({cta, thread / options_.threads});
  }
  void executed(const oracle::ExecutedInstruction& instruction) override;
  void end_launch() override;

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] unsigned sets() const { return recorded_sets_; }

 private:
  struct Thread {
    std::unique_ptr<RecordWriter> writer;
    bool begins_block = true;
    bool after_barrier = false;
  };
  [[nodiscard]] static TraceRecord record_of(const oracle::ExecutedInstruction& what, unsigned thread,
                                             bool frame_bytes);

  std::filesystem::path folder_;
  RecorderOptions options_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<Thread>> sets_;  ///< by CTA and number in it
  unsigned launch_ = 0;
  unsigned recorded_sets_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace heddle::resync
