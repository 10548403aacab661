// Blocks that exist twice: as a model and as RTL, its twin. Per block a configuration key `impl` says which
// of them runs: the model, the RTL in its place, or both in lockstep, where the first answer in which they
// differ ends the run.
//
// The models know nothing of RTL: who can make twins (rtl/cosim) puts the makers into a `Twins`, which is
// handed down to the blocks. A block with a twin is described by a traits class
//   struct SplitFifoBlock {
//     static constexpr const char* kName = "split_fifo";
//     using Interface = sim::Twin<SplitFifoRequest>;   // what model and twin have in common
//     struct Shape { std::uint32_t warps; };           // the parameters of the RTL
//   };
#pragma once

#include <any>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "base/config.h"
#include "base/error.h"
#include "base/ids.h"
#include "sim/block_timing.h"
#include "sim/clock.h"
#include "sim/socket_log.h"

namespace heddle::sim {

enum class Implementation : std::uint8_t { kModel, kRtl, kBoth };
inline constexpr const char* kImplementationNames[] = {"model", "rtl", "both"};
[[nodiscard]] constexpr const char* implementation_name(Implementation impl) {
  return kImplementationNames[static_cast<unsigned>(impl)];
}
inline void PrintTo(Implementation impl, std::ostream* out) { *out << implementation_name(impl); }

/// What a block with a twin has in its section of the platform file.
struct TwinConfig {
  Implementation impl = Implementation::kModel;
  void visit(base::ConfigVisitor& v);
};
/// The key `impl`, for a block whose section has other keys too.
void visit_implementation(base::ConfigVisitor& v, Implementation& impl);

/// A twin in use: what it costs, for reports. Not part of the statistics, which do not depend on `impl`.
struct TwinUse {
  std::string block;  ///< name of the RTL module
  std::string path;   ///< of the SystemC module it stands in for
  Implementation impl = Implementation::kRtl;
  std::uint64_t requests = 0;
  std::uint64_t clocks = 0;  ///< of the RTL: a request takes one or more
  /// Most clocks of the RTL within a core cycle: how much faster than the core it would have to be clocked
  /// (or how many ports it would have to have) to keep up as the model does.
  std::uint64_t most_clocks_in_a_cycle = 0;
  /// Clocks, in a core cycle, after the first one: what a block with one port could not have done. Clocked once per core cycle: 0, or the
  /// twin is not what its contract says.
  std::uint64_t beyond_ports = 0;
  Timing timing = Timing::kIdeal;
  /// What was asked for, by name, and of a block that is clocked once per core cycle the clocks in which it had a request to do.
  std::map<std::string, std::uint64_t, std::less<>> operations;
  std::uint64_t busy_clocks = 0;

  void ask(const char* operation);

  /// A request, in stopped time.
  void count(std::uint64_t request_clocks);
  /// Timing::kContract: the clock of core cycle `cycle`, with so many answers of a port; whether it had a request to do.
  void step(base::Cycle cycle, std::uint64_t answers, bool busy);

  const ClockDomain* core_clock = nullptr;
  WaveWindow waves;                   ///< of its pins
  std::function<void()> close_waves;  ///< completes their file; of a twin that writes one

 private:
  base::Cycle cycle_ = 0;
  std::uint64_t clocks_in_cycle_ = 0;
};

/// Answers a block's requests in place of, or beside, its model.
template <class Request>
class Twin {
 public:
  virtual ~Twin() = default;
  virtual void serve(Request& request) = 0;
  /// A request that changes nothing.
  virtual void inspect(Request& request) = 0;
};

class Twins {
 public:
  template <class Block>
  using Maker =
      std::function<std::unique_ptr<typename Block::Interface>(const typename Block::Shape&, TwinUse&)>;

  template <class Block>
  void provide(Maker<Block> maker) {
    makers_[Block::kName] = std::move(maker);
  }

  /// `twins` may be null. Throws InputError if there is none of that block, or none of that shape.
  template <class Block>
  static std::unique_ptr<typename Block::Interface> make(Twins* twins, Implementation impl,
                                                         const typename Block::Shape& shape,
                                                         const std::string& path) {
    const auto found = twins == nullptr ? Makers::const_iterator{} : twins->makers_.find(Block::kName);
    if (twins == nullptr || found == twins->makers_.end()) fail_missing(Block::kName, path);
    TwinUse& use = twins->uses_.emplace_back();
    use.block = Block::kName;
    use.path = path;
    use.impl = impl;
    use.core_clock = twins->core_clock_;
    if (twins->waves_) use.waves = twins->waves_(path, Block::kName);
    return std::any_cast<const Maker<Block>&>(found->second)(shape, use);
  }

  /// Twins made from now on count their clocks per cycle of this clock.
  void set_core_clock(const ClockDomain& clock) { core_clock_ = &clock; }
  /// Is asked of each twin that is made from now on: whether, and where, it writes the waveform of its pins.
  void set_waves(std::function<WaveWindow(const std::string& path, const char* block)> waves) {
    waves_ = std::move(waves);
  }
  [[nodiscard]] const ClockDomain* core_clock() const { return core_clock_; }
  [[nodiscard]] const std::deque<TwinUse>& uses() const { return uses_; }

 private:
  using Makers = std::map<std::string, std::any>;
  [[noreturn]] static void fail_missing(const char* block, const std::string& path);

  Makers makers_;
  std::deque<TwinUse> uses_;  ///< a deque: twins refer to their elements
  const ClockDomain* core_clock_ = nullptr;
  std::function<WaveWindow(const std::string&, const char*)> waves_;
};

/// A block's model, or its twin, or both in lockstep. Beside the traits above, the Block has
///   using Model     with serve(Request&) and inspect(Request&) const
///   using Answer    what must be equal; with ==
///   static Answer answer_of(const Request&)    of an answered request
///   static ordered_json show_request(const Request&), show_answer(const Answer&)
///   static ordered_json show_tables(const Request&, inspect)    of the request's warp; inspect(Request&)
/// The block's source file instantiates serve_both, which twin_difference.h defines:
///   template void sim::Twinned<SplitFifoBlock>::serve_both(SplitFifoRequest&);
template <class Block>
class Twinned {
 public:
  using Model = typename Block::Model;
  using Request = typename Block::Request;

  Twinned(Implementation impl, Twins* twins, const typename Block::Shape& shape, const std::string& path,
          Model model)
      : model_(std::move(model)), impl_(impl), path_(path) {
    if (impl != Implementation::kModel) {
      twin_ = Twins::make<Block>(twins, impl, shape, path);
      core_clock_ = twins->uses().back().core_clock;
    }
  }

  /// The model, if nothing else answers.
  [[nodiscard]] Model* only_model() { return twin_ == nullptr ? &model_ : nullptr; }
  void serve(Request& request) {
    if (twin_ == nullptr) [[likely]]
      model_.serve(request);
    else if (impl_ == Implementation::kRtl)
      twin_->serve(request);
    else
      serve_both(request);
  }
  void inspect(Request& request) const {
    if (impl_ == Implementation::kRtl)
      twin_->inspect(request);
    else
      model_.inspect(request);
  }

 private:
  void serve_both(Request& request);

  Model model_;
  std::unique_ptr<Twin<Request>> twin_;  ///< null: model only
  Implementation impl_;
  std::string path_;
  const ClockDomain* core_clock_ = nullptr;
};

}  // namespace heddle::sim
