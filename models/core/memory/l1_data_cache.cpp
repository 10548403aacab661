#include "core/memory/l1_data_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::core {

using sim::SectorMask;
using Result = L1dRequest::Result;

L1DataCacheModel::L1DataCacheModel(const L1dConfig& config, sim::ProgressMonitor& progress)
    : config_(config),
      line_bytes_(config.line_bytes),
      line_shift_(static_cast<std::uint32_t>(std::countr_zero(config.line_bytes))),
      sector_bytes_(config.sector_bytes != 0 ? config.sector_bytes : config.line_bytes),
      all_sectors_(static_cast<SectorMask>((1u << (config.line_bytes / sector_bytes_)) - 1)),
      tags_(cache::tag_array_of(config)),
      frames_(tags_.frames()),
      data_(base::zeroed_block(frames_.size() * line_bytes_)),
      written_(base::zeroed_block(frames_.size() * line_bytes_)),
      mshrs_(config.mshr_entries, config.mshr_targets, config.line_bytes),
      fetching_(config.mshr_entries),
      poisoned_(config.mshr_entries),
      progress_(progress) {}

void L1DataCacheModel::load(L1dRequest& request) {
  // Asked again: what was found a moment ago still holds.
  if (request.fetch != 0 && request.may_send) return miss(request, request.fetch);
  const SectorMask wanted = request.target.sectors;
  const bool absent = request.line == absent_;
  const std::uint32_t frame = absent ? kNoFrame : find(request.line);
  SectorMask missing = wanted;
  if (frame != kNoFrame) {
    request.line_data = bytes_of(frame);
    missing = static_cast<SectorMask>(wanted & ~frames_[frame].valid);
    if (missing != 0 && frames_[frame].marked) {
      if (request.enables == nullptr) {
        request.result = Result::kPartial;
        return;
      }
      if (covers(frame, request.enables, missing)) {
        missing = 0;
      } else if (frames_[frame].dirty) {
        // L2 gets the written bytes first and puts them together with the others.
        request.result = Result::kPort;
        if (request.may_send) write_back(frame, request);
        return;
      }
    }
    if (missing == 0) {
      tags_.use(frame);
      ++load_accesses;
      ++load_hits;
      request.result = Result::kHit;
      request.found = wanted;
      return;
    }
  }
  request.found = static_cast<SectorMask>(wanted & ~missing);
  SectorMask fetch = missing;
  bool room = true;
  for (std::uint32_t mshr = absent ? mshrs_.kNone : mshrs_.find(request.line); mshr != mshrs_.kNone;
       mshr = mshrs_.find_next(mshr)) {
    if (poisoned_[mshr] != 0) {
      ++load_accesses;
      ++load_misses;
      request.result = Result::kBypass;
      return;
    }
    if ((missing & fetching_[mshr]) == 0) continue;
    fetch &= static_cast<SectorMask>(~fetching_[mshr]);
    room = room && mshrs_.takes_target(mshr);
  }
  if (!room || (fetch != 0 && mshrs_.full())) {
    request.result = Result::kMshrs;
  } else if (fetch == 0) {
    ++load_accesses;
    ++load_merges;
    request.fills = wait_for_fills(request);
    request.result = Result::kMissMerged;
  } else if (!request.may_send) {
    request.result = Result::kPort;
    request.fetch = fetch;
  } else {
    miss(request, fetch);
  }
}

void L1DataCacheModel::miss(L1dRequest& request, SectorMask fetch) {
  ++load_accesses;
  ++load_misses;
  request.fills = 1;
  if ((request.target.sectors & ~(request.found | fetch)) != 0) request.fills += wait_for_fills(request);
  FillTarget target = request.target;
  target.sectors = fetch;
  forgotten_ = false;
  if (request.line == absent_) absent_ = kInvalid;
  request.mshr = mshrs_.allocate(request.line, target);
  request.fetch = fetching_[request.mshr] = fetch;
  poisoned_[request.mshr] = 0;
  request.full = mshrs_.full();
  request.result = Result::kMissSend;
}

std::uint32_t L1DataCacheModel::wait_for_fills(const L1dRequest& request) {
  const auto missing = static_cast<SectorMask>(request.target.sectors & ~request.found);
  std::uint32_t waits = 0;
  for (std::uint32_t mshr = mshrs_.find(request.line); mshr != mshrs_.kNone; mshr = mshrs_.find_next(mshr)) {
    FillTarget target = request.target;
    target.sectors = missing & fetching_[mshr];
    if (target.sectors == 0) continue;
    (void)mshrs_.add(mshr, target);
    ++waits;
  }
  return waits;
}

bool L1DataCacheModel::covers(std::uint32_t frame, const unsigned char* wanted, SectorMask sectors) const {
  const unsigned char* have = written(frame);
  unsigned uncovered = 0;
  for (std::uint32_t byte = 0; byte < line_bytes_; ++byte)
    if ((sectors >> (byte / sector_bytes_) & 1u) != 0) uncovered |= wanted[byte] & ~have[byte] & 0xffu;
  return uncovered == 0;
}

void L1DataCacheModel::store(L1dRequest& request) {
  if (mshrs_.find(request.line) != mshrs_.kNone) {
    request.result = Result::kMshrs;
    return;
  }
  std::uint32_t frame = find(request.line);
  bool changed = frame == kNoFrame;  // the old value is unknown
  if (changed) {
    frame = victim(request.line);
    if (frames_[frame].dirty && !request.may_send) {
      request.result = Result::kPort;
      return;
    }
    replace(frame, request.line, request);
    ++store_allocations;
  } else {
    tags_.use(frame);
    ++store_hits;
  }
  if (!frames_[frame].dirty) unmark(frame);  // L2 has what is marked, and others may write it there
  unsigned char* const to = bytes_of(frame);
  unsigned char* const marks = written(frame);
  unsigned differs = 0;
  for (std::uint32_t i = 0; i < line_bytes_; ++i) {
    const unsigned enable = request.enables[i];
    differs |= (to[i] ^ request.data[i]) & enable;
    to[i] = static_cast<unsigned char>((to[i] & ~enable) | (request.data[i] & enable));
    marks[i] = static_cast<unsigned char>(marks[i] | enable);
  }
  frames_[frame].dirty = frames_[frame].marked = true;
  if (frames_[frame].valid != all_sectors_) complete_sectors(frame);
  if (changed || differs != 0) progress_.memory_changed();
  request.result = Result::kHit;
}

const unsigned char* L1DataCacheModel::unwritten(std::uint64_t address) const {
  const std::uint64_t offset = address & (line_bytes_ - 1);
  const std::uint32_t frame = find(address - offset);
  if (frame == kNoFrame || !frames_[frame].dirty || written(frame)[offset] == 0) return nullptr;
  return &data_[(std::size_t{frame} << line_shift_) + offset];
}

const unsigned char* L1DataCacheModel::held(std::uint64_t address) const {
  const std::uint64_t offset = address & (line_bytes_ - 1);
  const std::uint32_t frame = find(address - offset);
  if (frame == kNoFrame) return nullptr;
  const bool valid = (frames_[frame].valid >> (offset / sector_bytes_) & 1u) != 0;
  if (!valid && written(frame)[offset] == 0) return nullptr;
  return &data_[(std::size_t{frame} << line_shift_) + offset];
}

void L1DataCacheModel::inspect(L1dRequest& request) const {
  if (request.op == L1dRequest::Op::kForeign) {
    request.line = foreign(*request.own);
    request.result = request.line != kInvalid ? Result::kHit : Result::kMissSend;
    return;
  }
  const std::uint64_t line = request.line & ~std::uint64_t{line_bytes_ - 1};
  bool yes = false;
  if (request.op == L1dRequest::Op::kNoPlace) {
    if (!mshrs_.full()) {
      absent_ = kInvalid;
    } else if (line != absent_) {
      const bool absent = find(line) == kNoFrame && mshrs_.find(line) == cache::MshrTable<FillTarget>::kNone;
      absent_ = absent ? line : kInvalid;
    }
    yes = absent_ != kInvalid;
  } else if (request.op == L1dRequest::Op::kFetched) {
    yes = mshrs_.find(line) != cache::MshrTable<FillTarget>::kNone;
  } else {
    request.line_data = request.op == L1dRequest::Op::kHeld ? held(request.line) : unwritten(request.line);
    yes = request.line_data != nullptr;
  }
  request.result = yes ? Result::kHit : Result::kMissSend;
}

void L1DataCacheModel::complete_sectors(std::uint32_t frame) {
  const unsigned char* marks = written(frame);
  for (std::uint32_t first = 0, sector = 0; first < line_bytes_; first += sector_bytes_, ++sector) {
    unsigned all = 0xff;
    for (std::uint32_t i = first; i < first + sector_bytes_; ++i) all &= marks[i];
    if (all == 0xff) frames_[frame].valid = static_cast<SectorMask>(frames_[frame].valid | 1u << sector);
  }
}

void L1DataCacheModel::poison(std::uint64_t line) {
  for (std::uint32_t mshr = mshrs_.find(line); mshr != mshrs_.kNone; mshr = mshrs_.find_next(mshr))
    poisoned_[mshr] = 1;
}

void L1DataCacheModel::pass(L1dRequest& request, std::uint64_t& evictions) {
  poison(request.line);
  std::uint32_t frame = find(request.line);
  if (frame == kNoFrame) {
    // A fill under way would bring the line a second time.
    if (!request.allocate || mshrs_.find(request.line) != mshrs_.kNone) return;
    frame = victim(request.line);
    replace(frame, request.line, request);
    forgotten_ = false;
    ++write_allocations;
    update(frame, request);
    return;
  }
  if (!request.update) {
    ++evictions;
    evict(frame, request);
    return;
  }
  ++write_updates;
  update(frame, request);
}

void L1DataCacheModel::update(std::uint32_t frame, const L1dRequest& request) {
  unsigned char* const to = bytes_of(frame);
  for (std::uint32_t i = 0; i < line_bytes_; ++i)
    to[i] =
        static_cast<unsigned char>((to[i] & ~request.enables[i]) | (request.data[i] & request.enables[i]));
  if (!request.allocate || frames_[frame].valid == all_sectors_ || frames_[frame].dirty) return;
  unsigned char* const marks = written(frame);
  for (std::uint32_t i = 0; i < line_bytes_; ++i)
    marks[i] = static_cast<unsigned char>(marks[i] | request.enables[i]);
  frames_[frame].marked = true;
  complete_sectors(frame);
}

void L1DataCacheModel::unmark(std::uint32_t frame) {
  if (!frames_[frame].marked) return;
  std::memset(written(frame), 0, line_bytes_);
  frames_[frame].marked = frames_[frame].dirty = false;
}

void L1DataCacheModel::write_back(std::uint32_t frame, L1dRequest& request) {
  ++write_backs;
  std::memcpy(victim_data_.data(), bytes_of(frame), line_bytes_);
  std::memcpy(victim_enables_.data(), written(frame), line_bytes_);
  unmark(frame);
  request.writes_back = true;
  request.dirty = {tags_.tag(frame), victim_data_.data(), victim_enables_.data()};
}

void L1DataCacheModel::evict(std::uint32_t frame, L1dRequest& request) {
  if (frames_[frame].dirty) write_back(frame, request);
  unmark(frame);
  tags_.remove(frame);
  frames_[frame].valid = 0;
}

void L1DataCacheModel::replace(std::uint32_t frame, std::uint64_t line, L1dRequest& request) {
  if (frames_[frame].dirty) write_back(frame, request);
  unmark(frame);
  empty_ = false;
  if (line == absent_) absent_ = kInvalid;
  tags_.place(frame, line);
  frames_[frame].valid = 0;
}

void L1DataCacheModel::invalidate(std::uint32_t kib) {
  const bool keeps_size = kib == 0 || kib == config_.size_kib;
  if (empty_ && keeps_size) return;  // of a GPU's cores, many have had nothing to do
  empty_ = true;
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) unmark(frame);
  if (keeps_size) {
    tags_.clear();
  } else {
    config_.size_kib = kib;
    tags_ = cache::tag_array_of(config_);
    frames_.resize(tags_.frames());
    const std::size_t bytes = frames_.size() * line_bytes_;
    if (bytes > data_.get_deleter().bytes) {
      data_ = base::zeroed_block(bytes);
      written_ = base::zeroed_block(bytes);
    }
  }
  std::fill(frames_.begin(), frames_.end(), Frame{});
}

void L1DataCacheModel::fill(L1dRequest& request) {
  const std::uint32_t mshr = request.mshr;
  const std::uint64_t line = mshrs_.line(mshr);
  ++fills;
  if (poisoned_[mshr] != 0) {
    ++poisoned_fills;
  } else {
    std::uint32_t frame = find(line);
    if (frame == kNoFrame) {
      frame = victim(line);
      replace(frame, line, request);
    } else {
      tags_.use(frame);
    }
    frames_[frame].valid = static_cast<SectorMask>(frames_[frame].valid | fetching_[mshr]);
    for (std::uint32_t first = 0, sector = 0; first < line_bytes_; first += sector_bytes_, ++sector)
      if ((fetching_[mshr] >> sector & 1u) != 0)
        std::memcpy(bytes_of(frame) + first, request.data + first, sector_bytes_);
    progress_.memory_changed();
  }
  request.targets = mshrs_.targets(mshr);
  request.target_count = mshrs_.target_count(mshr);
  mshrs_.release(mshr);
}

void L1DataCacheModel::invalidate_global(const std::vector<AddressRange>& own) {
  if (forgotten_) return;
  forgotten_ = true;
  for (std::uint32_t frame = 0; frame < tags_.frames(); ++frame) {
    if (tags_.empty(frame) || frames_[frame].dirty || is_in(own, tags_.tag(frame))) continue;
    unmark(frame);
    tags_.remove(frame);
    frames_[frame] = {};
    ++invalidated_lines;
  }
  // Entries without a fill are marked as well: allocation unmarks them.
  for (std::uint32_t mshr = 0; mshr < poisoned_.size(); ++mshr)
    if (!is_in(own, mshrs_.line(mshr))) poisoned_[mshr] = 1;
}

std::uint64_t L1DataCacheModel::foreign(const std::vector<AddressRange>& own) const {
  const auto found = std::ranges::find_if(
      tags_.tags(), [&own](std::uint64_t tag) { return tag != kInvalid && !is_in(own, tag); });
  return found == tags_.tags().end() ? kInvalid : *found;
}

void L1DataCacheModel::serve(L1dRequest& request) {
  switch (request.op) {
    case L1dRequest::Op::kLoad:
      load(request);
      break;
    case L1dRequest::Op::kStore:
      store(request);
      break;
    case L1dRequest::Op::kAtomic:
      request.update = false;
      [[fallthrough]];
    case L1dRequest::Op::kPass:
      pass(request, write_evictions);
      break;
    case L1dRequest::Op::kStrongLoad:
      request.update = false;
      pass(request, load_evictions);
      break;
    case L1dRequest::Op::kFill:
      fill(request);
      break;
    case L1dRequest::Op::kInvalidate:
      invalidate(request.kib);
      break;
    case L1dRequest::Op::kInvalidateGlobal:
      invalidate_global(*request.own);
      break;
    case L1dRequest::Op::kHeld:
    case L1dRequest::Op::kUnwritten:
    case L1dRequest::Op::kFetched:
    case L1dRequest::Op::kForeign:
    case L1dRequest::Op::kNoPlace:
      inspect(request);
      break;
  }
}

L1DataCache::L1DataCache(const sc_core::sc_module_name& name, const L1dConfig& config,
                         sim::ProgressMonitor& progress, base::StatGroup& stats)
    : sc_module(name), model_(config, progress) {
  stats.counter("load_accesses", "line accesses", "loads looked up (each line of a warp load once)",
                &model_.load_accesses);
  stats.counter("load_hits", "line accesses", "loads that found all their bytes", &model_.load_hits);
  stats.counter("load_misses", "line accesses", "loads that sent a read to L2", &model_.load_misses);
  stats.counter("load_merges", "line accesses", "loads that joined a fill already under way",
                &model_.load_merges);
  stats.counter("store_hits", "line accesses", "write-back stores that found their line", &model_.store_hits);
  stats.counter("store_allocations", "line accesses",
                "write-back stores that took a line without fetching it", &model_.store_allocations);
  stats.counter("write_backs", "lines", "lines whose written bytes went to L2", &model_.write_backs);
  stats.counter("write_evictions", "lines", "lines invalidated by a store or atomic of this core",
                &model_.write_evictions);
  stats.counter("write_updates", "lines", "lines updated by a store of this core that went to L2",
                &model_.write_updates);
  if (config.global_write == WritePolicy::kWriteThroughAllocate ||
      config.local_write == WritePolicy::kWriteThroughAllocate)
    stats.counter("write_allocations", "lines", "lines that a store that went to L2 made here",
                  &model_.write_allocations);
  stats.counter("load_evictions", "lines", "lines invalidated by a strong load of this core that L2 serves",
                &model_.load_evictions);
  stats.counter("invalidated_lines", "lines", "lines forgotten because other cores may have written them",
                &model_.invalidated_lines);
  stats.counter("fills", "lines", "lines, or sectors of one line, returned by L2", &model_.fills);
  stats.counter("poisoned_fills", "lines",
                "fills not installed because a store, atomic, strong load or acquire came after their read",
                &model_.poisoned_fills);
}

}  // namespace heddle::core
