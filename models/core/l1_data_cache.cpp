#include "core/l1_data_cache.h"

#include <cstring>

namespace heddle::core {

L1DataCacheModel::L1DataCacheModel(const L1dConfig& config, sim::ProgressMonitor& progress)
    : config_(config),
      progress_(progress),
      sets_(std::size_t{config.size_kib} * 1024 / config.line_bytes / config.ways),
      lines_(sets_ * config.ways),
      data_(lines_.size() * config.line_bytes),
      mshrs_(config.mshr_entries) {
  for (Mshr& mshr : mshrs_) mshr.targets.reserve(config.mshr_targets);
}

L1DataCacheModel::Line* L1DataCacheModel::find(std::uint64_t line) {
  Line* set = &lines_[set_of(line)];
  for (std::uint32_t way = 0; way < config_.ways; ++way)
    if (set[way].valid && set[way].tag == line) return &set[way];
  return nullptr;
}

L1DataCacheModel::Mshr* L1DataCacheModel::find_mshr(std::uint64_t line) {
  if (mshrs_busy_ == 0) return nullptr;
  for (Mshr& mshr : mshrs_)
    if (mshr.busy && mshr.line == line) return &mshr;
  return nullptr;
}

void L1DataCacheModel::load(L1dRequest& request) {
  if (Line* line = find(request.line)) {
    line->used = ++clock_;
    ++load_accesses;
    ++load_hits;
    request.result = L1dRequest::Result::kHit;
    request.data = bytes_of(line);
    return;
  }
  if (Mshr* mshr = find_mshr(request.line)) {
    if (mshr->poisoned) {
      ++load_accesses;
      ++load_misses;
      request.result = L1dRequest::Result::kBypass;
    } else if (mshr->targets.size() == config_.mshr_targets) {
      ++mshr_stalls;
      request.result = L1dRequest::Result::kStall;
    } else {
      ++load_accesses;
      ++load_merges;
      mshr->targets.push_back(request.target);
      request.result = L1dRequest::Result::kMissMerged;
    }
    return;
  }
  request.result = L1dRequest::Result::kStall;
  if (mshrs_busy_ == mshrs_.size()) {
    ++mshr_stalls;
    return;
  }
  if (!request.may_send) return;
  ++load_accesses;
  ++load_misses;
  for (std::uint32_t i = 0; i < mshrs_.size(); ++i) {
    Mshr& mshr = mshrs_[i];
    if (mshr.busy) continue;
    mshr.busy = true;
    mshr.poisoned = false;
    mshr.line = request.line;
    mshr.targets.assign(1, request.target);
    ++mshrs_busy_;
    request.mshr = i;
    request.result = L1dRequest::Result::kMissSend;
    return;
  }
}

void L1DataCacheModel::write(std::uint64_t line) {
  if (Line* hit = find(line)) {
    hit->valid = false;
    ++write_evictions;
  }
  if (Mshr* mshr = find_mshr(line)) mshr->poisoned = true;
}

void L1DataCacheModel::fill(L1dRequest& request) {
  Mshr& mshr = mshrs_[request.mshr];
  ++fills;
  if (mshr.poisoned) {
    ++poisoned_fills;
  } else {
    Line* set = &lines_[set_of(mshr.line)];
    Line* victim = set;
    for (std::uint32_t way = 0; way < config_.ways; ++way) {
      if (!set[way].valid) {
        victim = &set[way];
        break;
      }
      if (set[way].used < victim->used) victim = &set[way];
    }
    *victim = {mshr.line, ++clock_, true};
    std::memcpy(bytes_of(victim), request.fill, config_.line_bytes);
    progress_.memory_changed();
  }
  request.targets->swap(mshr.targets);
  mshr.targets.clear();
  mshr.busy = false;
  --mshrs_busy_;
}

void L1DataCacheModel::serve(L1dRequest& request) {
  switch (request.op) {
    case L1dRequest::Op::kLoad:
      load(request);
      break;
    case L1dRequest::Op::kWrite:
      write(request.line);
      break;
    case L1dRequest::Op::kFill:
      fill(request);
      break;
    case L1dRequest::Op::kFlush:
      for (Line& line : lines_) line.valid = false;
      break;
  }
}

L1DataCache::L1DataCache(const sc_core::sc_module_name& name, const L1dConfig& config,
                         sim::ProgressMonitor& progress, sim::StatGroup& stats)
    : sc_module(name), model_(config, progress) {
  stats.counter("load_accesses", "line accesses", "loads looked up (each line of a warp load once)",
                &model_.load_accesses);
  stats.counter("load_hits", "line accesses", "loads that found their line", &model_.load_hits);
  stats.counter("load_misses", "line accesses", "loads that sent a read to L2", &model_.load_misses);
  stats.counter("load_merges", "line accesses", "loads that joined a fill already under way",
                &model_.load_merges);
  stats.counter("mshr_stalls", "attempts", "look-ups refused for want of an MSHR or a target slot",
                &model_.mshr_stalls);
  stats.counter("write_evictions", "lines", "lines invalidated by a store or atomic of this core",
                &model_.write_evictions);
  stats.counter("fills", "lines", "lines returned by L2", &model_.fills);
  stats.counter("poisoned_fills", "lines", "fills not installed because a store passed them",
                &model_.poisoned_fills);
}

}  // namespace heddle::core
