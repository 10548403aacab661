#include "tm/global_reads.h"

#include <algorithm>
#include <cstring>

namespace heddle::tm {

GlobalReads::GlobalReads(const sc_core::sc_module_name& name, core::MemoryPort& port, sim::MemoryPool& pool,
                         std::uint32_t line_bytes)
    : sc_module(name), pool_(pool), line_bytes_(line_bytes), client_(port.add_client("transactional_reads")) {
  port_isock.bind(port.request_tsock[static_cast<unsigned>(client_)]);
  port.response_isock[static_cast<unsigned>(client_)].bind(response_tsock);
}

void GlobalReads::load(LaneMask lanes, const LaneAddresses& address, unsigned words, std::uint32_t tag) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    accesses_.push_back(std::make_unique<Access>());
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Access& access = *accesses_[index];
  access.tag = tag;
  access.words = words;
  access.missing = 0;
  access.lanes = lanes;
  access.address = address;
  const std::size_t queued = to_send_.size();
  lanes.for_each([&](unsigned lane) {
    const std::uint64_t line = address[lane] / line_bytes_ * line_bytes_;
    const auto known = std::find_if(to_send_.begin() + static_cast<std::ptrdiff_t>(queued), to_send_.end(),
                                    [&](const Line& each) { return each.address == line; });
    if (known != to_send_.end()) return;
    to_send_.push_back({index, line});
    ++access.missing;
  });
}

void GlobalReads::tick(base::Cycle cycle) {
  if (to_send_.empty() || !port_isock.room(client_)) return;
  const Line line = to_send_.front();
  to_send_.pop_front();
  const Access& access = *accesses_[line.access];
  sim::MemoryTransaction& read = pool_.allocate(sim::MemoryOp::kRead, line.address, line_bytes_);
  read.extension.bypass_l1 = true;
  read.extension.tag = line.access;
  read.extension.issued_at = cycle;
  read.extension.message.words[0] = read.extension.message.words[1] = 0;
  read.extension.wanted_sectors = 0;
  access.lanes.for_each([&](unsigned lane) {
    if (access.address[lane] / line_bytes_ * line_bytes_ != line.address) return;
    const std::uint64_t first = access.address[lane] - line.address;
    read.extension.wanted_sectors |= static_cast<sim::SectorMask>(1u << first / sim::kSectorBytes);
  });
  ++lines_;
  port_isock.send(client_, read);
}

void GlobalReads::take_response(core::PortResponse& response) {
  const sim::MemoryExtension& extension = sim::memory_extension(*response.payload);
  const std::uint32_t index = extension.tag;
  Access& access = *accesses_[index];
  const std::uint64_t line = response.payload->get_address();
  access.lanes.for_each([&](unsigned lane) {
    if (access.address[lane] / line_bytes_ * line_bytes_ != line) return;
    std::memcpy(access.values[lane].data(), response.payload->get_data_ptr() + (access.address[lane] - line),
                access.words * std::size_t{4});
    access.written[lane] = {extension.message.words[0], extension.message.words[1]};
  });
  if (--access.missing != 0) return;
  GlobalAnswer answer{access.tag, access.lanes, &access.values, &access.written};
  answer_isock.call(answer);
  free_.push_back(index);
}

}  // namespace heddle::tm
