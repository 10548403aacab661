#include "determinism/z_buffer_unit.h"

#include <fmt/format.h>

#include <cstring>

#include "determinism/color_update.h"

namespace heddle::determinism {
namespace {

constexpr std::uint32_t kDepthWrite = ~std::uint32_t{0};  ///< tag of writes that no request waits for

memory::PartitionUnitSite with_clock(const memory::PartitionUnitSite& site, sim::ClockDomain& clock) {
  return {site.partition, site.map, clock, site.stats};
}

}  // namespace

ZBufferUnit::ZBufferUnit(const sc_core::sc_module_name& name, const ZBufferConfig& config,
                         const memory::PartitionUnitSite& site, const ZBufferClock& clock,
                         const ZBufferUnitWatch& watch)
    : ZBufferClock(clock),
      // The queues are the registers at the unit's ports; what waits does so in the model's buffers.
      PartitionUnit(name, kZBufferOwner, {.requests = 1, .l2 = 1, .responses = 1, .answers = 1},
                    with_clock(site, *clock)),
      addresses_(site.map),
      model_(config),
      messages_(config.request_entries),
      preconditions_(watch.preconditions) {
  declare(site.stats);
  if (preconditions_ != nullptr)
    model_.watch({[this](const char* rule, const std::string& what) {
                    preconditions_->broken(rule, basename(), what);
                  },
                  watch.wavefront_bits});
}

void ZBufferUnit::declare(base::StatGroup& stats) {
  const ZBufferModel::Counters& c = model_.counters();
  stats.before_reading([this] {
    const base::Cycle now = clock().domain().cycle();
    if (now != 0) model_.settle(now - 1);
  });
  stats.counter("color_updates", "requests", "colour updates accepted", &c.requests);
  stats.counter("acks", "requests", "colour updates acknowledged", &c.acks);
  stats.counter("blocked", "probes", "that found the depth line locked by another request", &c.blocked);
  base::StatGroup& cache = stats.child("z_cache", "cache of depth lines");
  cache.counter("hits", "requests", "that found their depths", &c.hits);
  cache.counter("misses", "requests", "whose depths were read from L2", &c.misses);
  cache.counter("write_backs", "lines", "dirty lines evicted", &c.write_backs);
  stats.counter("color_writes", "requests", "masked writes of colours to L2", &c.color_writes);
  stats.counter("color_words", "words", "written by them", &c.color_words);
  stats.counter("losers", "requests", "of which no word passed the depth test", &c.losers);
  stats.counter("depth_resets", "resets", "of all depths, because the quantum number overflowed", &c.resets);
  stats.counter("occupancy_cycles", "entry cycles",
                "entries of the request buffer in use, summed over cycles", &c.occupancy_cycles);
  stats.counter("full_cycles", "unit cycles", "in which the request buffer was full", &c.full_cycles);
  stats.counters("stalls", "unit cycles", "the scheduler waited although a request was ready, by cause",
                 {"set_full", "comparator_buffer", "l2_queue", "l2_port"}, c.stalls.data() + 1);
  stats.counter("compare_stalls", "unit cycles", "the comparator waited for the queue to L2",
                &c.compare_stalls);
}

std::string ZBufferUnit::describe() const {
  return fmt::format("Z-buffer unit: {} requests, {} depth lines in comparison, {} requests for L2",
                     model_.entries_in_use(), model_.comparators_in_use(), model_.l2_queued());
}

void ZBufferUnit::control(ZControlRequest& request) {
  if (request.op == ZControlRequest::Op::kResetDepths) {
    if (messages_held() != 0)
      SC_REPORT_ERROR("/heddle/determinism/z_buffer_unit", "reset of depths while colour updates are held");
    model_.reset_depths();
    clock().wake();
  }
  request.idle = old_writes_performed();  // whatever passes does not matter
}

// ---- What arrives

bool ZBufferUnit::understands(const Payload& message) {
  if (preconditions_ != nullptr) check_arrival(message);
  return PartitionUnit::understands(message);
}

bool ZBufferUnit::takes_request(const Payload& request) {
  if (preconditions_ != nullptr) check_arrival(request);
  return false;
}

void ZBufferUnit::check_arrival(const Payload& payload) {
  const sim::MemoryExtension& extension = static_cast<const sim::MemoryTransaction&>(payload).extension;
  const std::uint32_t core = extension.core.value();
  if (core >= last_order_.size()) last_order_.resize(core + 1);
  if (extension.order <= last_order_[core])
    preconditions_->broken("[GPUDet:D4]", basename(),
                           fmt::format("request {} of core {} (to {:#x}) arrives behind its request {}",
                                       extension.order, core, payload.get_address(), last_order_[core]));
  last_order_[core] = extension.order;
  if (extension.op != sim::MemoryOp::kRead && !preconditions_->memory_open() &&
      !preconditions_->is_private(payload.get_address()))
    preconditions_->broken("[GPUDet:D7]", basename(),
                           fmt::format("core {} changes {:#x}, which is global memory, outside commit and "
                                       "serial mode",
                                       core, payload.get_address()));
}

// ---- A clock

// The steps are those of ZBufferModel, in its order: each sees what the cycle before left.
base::Cycle ZBufferUnit::cycle(base::Cycle now) {
  bool happened = accept_message(now);
  happened |= fill(now);
  happened |= model_.clock(now);
  happened |= send_to_l2(now);
  happened |= acknowledge(now);
  return model_.next(now, happened);
}

bool ZBufferUnit::accept_message(base::Cycle now) {
  if (request() == nullptr || !model_.can_accept()) return false;
  Payload& message = take_request();
  messages_[model_.accept(read_color_update(message), now)] = &message;
  return true;
}

bool ZBufferUnit::fill(base::Cycle now) {
  bool filled = false;
  while (response() != nullptr) {
    const bool read = sim::memory_extension(*response()).op == sim::MemoryOp::kRead;
    if (read && filled) break;  // one line per clock
    Payload& done = take_response();
    if (read) {
      model_.fill(sim::memory_extension(done).tag, load_depths(done.get_data_ptr()), now);
      filled = true;
    }
    done.release();
  }
  return filled;
}

bool ZBufferUnit::send_to_l2(base::Cycle now) {
  using Op = ZBufferModel::L2Request::Op;
  const ZBufferModel::L2Request* next = can_send() ? model_.l2_request(now) : nullptr;
  if (next == nullptr) return false;
  const bool color = next->op == Op::kColorWrite;
  sim::MemoryTransaction& request =
      own_request(next->op == Op::kDepthRead ? sim::MemoryOp::kRead : sim::MemoryOp::kWrite,
                  color ? next->chunk : addresses_.depth_address(next->chunk), kChunkBytes);
  request.extension.tag = next->op == Op::kDepthWrite ? kDepthWrite : next->entry;
  if (color) {
    std::memcpy(request.data.data(), next->color.data(), kChunkBytes);
    for (unsigned i = 0; i < kChunkBytes; ++i) request.enables[i] = next->mask.test(i) ? 0xff : 0;
  } else if (next->op == Op::kDepthWrite) {
    store_depths(next->depths, request.data.data());
    request.enables.fill(0xff);
  }
  model_.l2_sent();
  send(request);
  return true;
}

void ZBufferUnit::accepted(const Payload& payload) {
  const auto& extension = static_cast<const sim::MemoryTransaction&>(payload).extension;
  if (extension.core != sim::kUnitInitiator) return;  // queued behind ours
  if (extension.op == sim::MemoryOp::kWrite && extension.tag != kDepthWrite)
    model_.accepted(extension.tag, clock().domain().cycle());
}

bool ZBufferUnit::acknowledge(base::Cycle now) {
  if (!can_respond()) return false;
  const std::optional<std::uint32_t> entry = model_.acknowledge(now);
  if (!entry) return false;
  sim::MemoryMessage& message = sim::memory_extension(*messages_[*entry]).message;
  message.word_count = 0;
  message.answer_bytes = 0;  // core and wavefront are in the header
  answer(*messages_[*entry]);
  return true;
}

memory::PartitionUnitFactory z_buffer_units(const ZBufferConfig& config, std::vector<ZBufferUnit*>* made,
                                            const ZBufferUnitWatch& watch) {
  // The first site makes the clock, the units keep it.
  auto clock = std::make_shared<std::weak_ptr<sim::ClockDomain>>();
  return [config, made, clock, watch](const memory::PartitionUnitSite& site,
                                      sim::MemoryInitiatorSocket& crossbar, sim::MemoryTargetSocket& l2) {
    ZBufferClock shared = clock->lock();
    if (shared == nullptr) {
      shared = std::make_shared<sim::ClockDomain>(site.clock.manager(), "z_buffer_clock", config.clock_mhz,
                                                  sim::ClockRank::kPartitionUnit);
      *clock = shared;
    }
    auto unit = std::make_unique<ZBufferUnit>(("z_buffer" + std::to_string(site.partition.value())).c_str(),
                                              config, site, shared, watch);
    crossbar.bind(unit->crossbar_tsock);
    unit->l2_isock.bind(l2);
    if (made != nullptr) made->push_back(unit.get());
    return unit;
  };
}

}  // namespace heddle::determinism
