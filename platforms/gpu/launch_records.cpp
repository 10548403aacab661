#include "gpu/launch_records.h"

#include "base/error.h"

namespace heddle::gpu {

LaunchCounts& LaunchCounts::operator+=(const LaunchCounts& other) {
  cycles += other.cycles;
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  whole += other.whole;
  host_seconds += other.host_seconds;
  simulation_seconds += other.simulation_seconds;
  return *this;
}

KernelRecord& LaunchHistory::kernel_of(const LaunchRecord& record, std::uint64_t text_digest) {
  const auto known = by_code_.find(record.code.get());
  if (known != by_code_.end()) return kernels_[known->second];
  const std::string module = record.code->source ? record.code->source->name : std::string{};
  const auto is_loaded = [&](std::size_t i) {
    for (const auto& [code, index] : by_code_)
      if (index == i) return true;
    return false;
  };
  std::size_t at = 0;
  while (at < kernels_.size() &&
         (kernels_[at].kernel != record.kernel || kernels_[at].module != module ||
          digests_[at] != text_digest || is_loaded(at) ||
          (kernels_[at].profile && kernels_[at].profile->by_pc().size() != record.code->code.size())))
    ++at;
  if (at == kernels_.size()) {
    KernelRecord& made = kernels_.emplace_back();
    made.kernel = record.kernel;
    made.module = module;
    made.shape = record.shape;
    digests_.push_back(text_digest);
  }
  kernels_[at].code = record.code;
  by_code_.emplace(record.code.get(), at);
  return kernels_[at];
}

void LaunchHistory::add(LaunchRecord record, std::uint64_t text_digest, const base::StatGroup& stats) {
  KernelRecord& kernel = kernel_of(record, text_digest);
  ++count_;
  ++kernel.launches;
  kernel.complete = kernel.complete && record.complete;
  kernel.one_shape = kernel.one_shape && kernel.shape == record.shape;
  kernel += record;
  stats.add_to(kernel.values);
  if (record.profile) {
    if (kernel.profile)
      *kernel.profile += *record.profile;
    else
      kernel.profile = record.profile;
  }
  if (per_launch_) {
    stats.add_to(record.values);
    launches_.push_back(record);
    record.values = {};
  }
  record.profile.reset();
  last_ = std::move(record);
}

void LaunchHistory::charge_host(double seconds, double simulation_seconds) {
  LaunchCounts time;
  time.host_seconds = seconds;
  time.simulation_seconds = simulation_seconds;
  *last_ += time;
  kernels_[by_code_.at(last_->code.get())] += time;
  if (per_launch_) launches_.back() += time;
}

void LaunchHistory::unload(const isa::Module& module) {
  for (const auto& code : module.kernels) {
    if (last_ && last_->code == code) last_->code = nullptr;
    const auto known = by_code_.find(code.get());
    if (known == by_code_.end()) continue;
    if (!profile_) kernels_[known->second].code = nullptr;  // a profile prints its text
    by_code_.erase(known);
  }
}

void LaunchHistory::clear() {
  kernels_.clear();
  digests_.clear();
  by_code_.clear();
  launches_.clear();
  last_.reset();
}

const LaunchRecord& LaunchHistory::last() const {
  if (!launches_.empty()) return launches_.back();
  if (!last_)
    throw base::InputError("host", "there is no last launch",
                           "launch a kernel before asking for what it did");
  return *last_;
}

const std::vector<LaunchRecord>& LaunchHistory::launches() const {
  if (!per_launch_)
    throw base::InputError("host", "the launches have not been kept one by one",
                           "set RunOptions::per_launch, or take kernels(), last_launch() or on_launch");
  return launches_;
}

}  // namespace heddle::gpu
