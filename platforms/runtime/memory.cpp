#include "runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "runtime/copy.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kPoolBytes = std::uint64_t{1} << 20;  // small managed allocations share a mirror
constexpr std::uint64_t kSmallBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kAlignment = 256;
// An address that kernels may begin at to get into a block: programs move pointers before their arrays.
constexpr std::uint64_t kReach = std::uint64_t{64} << 10;
constexpr int kTries = 256;  // for an address that is free on both sides

constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

bool map_at(std::uint64_t address, std::uint64_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  void* const host =
      ::mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (host == wanted) return true;
  if (host != MAP_FAILED) ::munmap(host, bytes);
  return false;
}

/// nullptr: there is no memory.
std::byte* map_anywhere(std::uint64_t bytes) {
  void* const host = ::mmap(nullptr, rounded(std::max<std::uint64_t>(bytes, 1), kPage),
                            PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return host == MAP_FAILED ? nullptr : static_cast<std::byte*>(host);
}

template <class Map>
auto holder(Map& map, std::uint64_t address) {
  const auto next = map.upper_bound(address);
  return next == map.begin() ? map.end() : std::prev(next);
}

}  // namespace

Code Memory::allocate(Runtime& runtime, std::uint64_t bytes, std::uint64_t& address) {
  // What a machine does not have may still be addressed: the model's memory is as large as what is written.
  const std::uint64_t has = runtime.machine().memory_bytes;
  if (has != 0 && (bytes > has || used_ > has - bytes)) return Code::kMemoryAllocation;
  const Code code = place(runtime, Kind::kDevice, bytes, address);
  if (code == Code::kSuccess) used_ += bytes;
  return code;
}

Code Memory::place(Runtime& runtime, Kind kind, std::uint64_t bytes, std::uint64_t& address) {
  Request request;
  request.operation = Operation::kAllocate;
  request.arguments[0] = bytes;
  const auto answer = runtime.ask(request, "allocation " + std::to_string(++count_) + " of the program");
  if (answer.reply.code != Code::kSuccess) return answer.reply.code;
  address = answer.reply.values[0];
  device_.insert_or_assign(address, Block{kind, address, bytes, 0});
  return Code::kSuccess;
}

Code Memory::drop(Runtime& runtime, Kind kind, std::uint64_t address) {
  const auto found = device_.find(address);
  if (found == device_.end() || found->second.kind != kind) return Code::kInvalidValue;
  Request request;
  request.operation = Operation::kFree;
  request.arguments[0] = address;
  const Code code = runtime.ask(request).reply.code;
  if (kind == Kind::kDevice) used_ -= found->second.bytes;
  device_.erase(found);
  return code;
}

Code Memory::free(Runtime& runtime, std::uint64_t address) {
  const auto mirror = holder(mirrors_, address);
  if (mirror != mirrors_.end() && mirror->second->kind == Kind::kManaged &&
      address - mirror->first < mirror->second->bytes)
    return free_managed(runtime, *mirror->second, address);
  return drop(runtime, Kind::kDevice, address);
}

std::unique_ptr<Memory::Mirror> Memory::place_on_both(Runtime& runtime, Kind kind, std::uint64_t bytes) {
  const std::uint64_t size = rounded(std::max<std::uint64_t>(bytes, 1), kPage);
  std::vector<std::uint64_t> missed;
  std::unique_ptr<Mirror> made;
  for (int i = 0; i < kTries && made == nullptr; ++i) {
    std::uint64_t allocation = 0;
    if (place(runtime, kind, size + kPage, allocation) != Code::kSuccess) break;
    const std::uint64_t at = rounded(allocation, kPage);
    if (!map_at(at, size)) {
      missed.push_back(allocation);
      // What the program has kept of a device that was reset is passed as a whole.
      const auto behind = mirrors_.upper_bound(at + size - 1);
      const Mirror* const kept = behind == mirrors_.begin() ? nullptr : std::prev(behind)->second.get();
      const std::uint64_t end = kept == nullptr ? 0 : number(kept->host) + kept->bytes;
      if (end > at + size && place(runtime, kind, end - at, allocation) == Code::kSuccess)
        missed.push_back(allocation);
      continue;
    }
    made =
        std::make_unique<Mirror>(kind, reinterpret_cast<std::byte*>(at),  // NOLINT(performance-no-int-to-ptr)
                                 bytes);
    made->allocation = allocation;
  }
  for (const std::uint64_t each : missed) (void)drop(runtime, kind, each);
  return made;
}

Memory::Mirror* Memory::new_managed(Runtime& runtime, std::uint64_t bytes) {
  auto made = place_on_both(runtime, Kind::kManaged, rounded(bytes, kPage));
  if (made == nullptr) return nullptr;
  begin_exchange(*made);
  made->holes.emplace(0, made->bytes);
  return mirrors_.emplace(number(made->host), std::move(made)).first->second.get();
}

void Memory::begin_exchange(Mirror& mirror) {
  mirror.device = number(mirror.host);
  mirror.agreed.assign(mirror.bytes, std::byte{0});  // as the device's copy is
}

Code Memory::allocate_managed(Runtime& runtime, std::uint64_t bytes, void** pointer) {
  if (bytes == 0) return Code::kInvalidValue;
  const std::uint64_t size = rounded(bytes, kAlignment);
  const auto take = [&](Mirror& mirror) {
    for (auto hole = mirror.holes.begin(); hole != mirror.holes.end(); ++hole) {
      if (hole->second < size) continue;
      const auto [offset, room] = *hole;
      mirror.holes.erase(hole);
      if (room > size) mirror.holes.emplace(offset + size, room - size);
      mirror.parts.emplace(offset, bytes);
      *pointer = mirror.host + offset;
      return true;
    }
    return false;
  };
  if (bytes <= kSmallBytes)
    for (auto& [host, mirror] : mirrors_)
      if (mirror->kind == Kind::kManaged && mirror->bytes == kPoolBytes && take(*mirror))
        return Code::kSuccess;
  Mirror* const mirror = new_managed(runtime, bytes <= kSmallBytes ? kPoolBytes : bytes);
  return mirror != nullptr && take(*mirror) ? Code::kSuccess : Code::kMemoryAllocation;
}

Code Memory::free_managed(Runtime& runtime, Mirror& mirror, std::uint64_t address) {
  const auto part = mirror.parts.find(address - number(mirror.host));
  if (part == mirror.parts.end()) return Code::kInvalidValue;
  collect(runtime);
  std::uint64_t offset = part->first, bytes = rounded(part->second, kAlignment);
  std::memset(mirror.host + offset, 0, bytes);
  advice.forget(address, part->second);
  mirror.parts.erase(part);
  if (mirror.parts.empty() && mirror.bytes != kPoolBytes) {
    ::munmap(mirror.host, mirror.bytes);
    const std::uint64_t allocation = mirror.allocation;
    mirrors_.erase(number(mirror.host));
    return drop(runtime, Kind::kManaged, allocation);
  }
  if (const auto next = mirror.holes.find(offset + bytes); next != mirror.holes.end()) {
    bytes += next->second;
    mirror.holes.erase(next);
  }
  const auto before = holder(mirror.holes, offset);
  if (before != mirror.holes.end() && before->first + before->second == offset)
    before->second += bytes;
  else
    mirror.holes.emplace(offset, bytes);
  return Code::kSuccess;
}

Code Memory::allocate_pinned(Runtime& runtime, std::uint64_t bytes, unsigned flags, void** pointer) {
  auto mirror = place_on_both(runtime, Kind::kPinned, bytes);
  if (mirror == nullptr) {
    mirror = std::make_unique<Mirror>(Kind::kPinned, map_anywhere(bytes), bytes);
    if (mirror->host == nullptr) return Code::kMemoryAllocation;
  }
  mirror->flags = flags;
  *pointer = mirror->host;
  const std::uint64_t host = number(mirror->host);
  if (mirror->allocation != 0) {
    count_unknown(1);
    unknown_from_ = std::min(unknown_from_, host - kReach);
    unknown_to_ = std::max(unknown_to_, host + bytes + kReach);
  }
  mirrors_.emplace(host, std::move(mirror));
  ++aliased_;
  return Code::kSuccess;
}

void Memory::count_unknown(int more) {
  unknown_ += more;
  if (unknown_ == 0) unknown_from_ = ~std::uint64_t{0}, unknown_to_ = 0;
}

void Memory::note_addresses(const std::byte* bytes, std::uint64_t count) {
  const auto reaches = [](std::uint64_t word, const Mirror& mirror) {
    const std::uint64_t host = number(mirror.host);
    return mirror.kind == Kind::kPinned && mirror.device == 0 && mirror.allocation != 0 &&
           word + kReach >= host && word < host + mirror.bytes + kReach;
  };
  const auto begin = [&](Mirror& mirror) {
    begin_exchange(mirror);
    count_unknown(-1);
  };
  for (std::uint64_t at = 0; unknown_ != 0 && at + sizeof(std::uint64_t) <= count;
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word < unknown_from_ || word >= unknown_to_) continue;
    const auto above = mirrors_.upper_bound(word);
    if (above != mirrors_.end() && reaches(word, *above->second)) begin(*above->second);
    if (above != mirrors_.begin() && reaches(word, *std::prev(above)->second))
      begin(*std::prev(above)->second);
  }
}

Code Memory::free_pinned(Runtime& runtime, void* pointer) {
  const auto found = mirrors_.find(number(pointer));
  if (found == mirrors_.end() || found->second->kind != Kind::kPinned) return Code::kInvalidValue;
  Mirror& mirror = *found->second;
  Code code = Code::kSuccess;
  if (mirror.allocation != 0) {
    if (mirror.device == 0) count_unknown(-1);
    aliases_.erase(mirror.device);
    code = drop(runtime, mirror.kind, mirror.allocation);
  }
  ::munmap(mirror.host, rounded(std::max<std::uint64_t>(mirror.bytes, 1), kPage));
  mirrors_.erase(found);
  --aliased_;
  return code;
}

Code Memory::add_registered(void* pointer, std::uint64_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0) return Code::kInvalidValue;
  if (mirror_at(number(pointer)) != nullptr) return Code::kHostMemoryAlreadyRegistered;
  auto mirror = std::make_unique<Mirror>(Kind::kRegistered, static_cast<std::byte*>(pointer), bytes);
  mirror->flags = flags;
  mirrors_.emplace(number(pointer), std::move(mirror));
  ++aliased_;
  return Code::kSuccess;
}

Code Memory::remove_registered(Runtime& runtime, void* pointer) {
  const auto found = mirrors_.find(number(pointer));
  if (found == mirrors_.end() || found->second->kind != Kind::kRegistered)
    return Code::kHostMemoryNotRegistered;
  Mirror& mirror = *found->second;
  Code code = Code::kSuccess;
  if (mirror.allocation != 0) {
    collect(runtime);
    aliases_.erase(mirror.device);
    code = drop(runtime, mirror.kind, mirror.allocation);
  }
  mirrors_.erase(found);
  --aliased_;
  return code;
}

void Memory::note_symbol(std::uint64_t address, std::uint64_t bytes) {
  device_.insert_or_assign(address, Block{Kind::kSymbol, address, bytes, 0});
}

void Memory::forget_symbol(std::uint64_t address) {
  const auto found = device_.find(address);
  if (found != device_.end() && found->second.kind == Kind::kSymbol) device_.erase(found);
}

std::byte* Memory::host_of_variable(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t page = address / kPage; page * kPage < address + bytes; ++page)
    if (!variable_pages_.contains(page)) {
      if (!map_at(page * kPage, kPage)) return map_anywhere(bytes);
      variable_pages_.insert(page);
    }
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void* Memory::mirror_symbol(Runtime& runtime, std::uint64_t address, std::uint64_t bytes, void* before) {
  void* host = before;
  if (mirror_at(number(before)) == nullptr || mirror_at(number(before))->kind != Kind::kVariable) {
    auto mirror = std::make_unique<Mirror>(Kind::kVariable, host_of_variable(address, bytes), bytes);
    if (mirror->host == nullptr) return nullptr;
    host = mirror->host;
    mirrors_.emplace(number(host), std::move(mirror));
    ++aliased_;
  }
  Mirror& mirror = *mirrors_.at(number(host));
  mirror.bytes = bytes;
  mirror.device = address;
  if (number(host) != address) aliases_[address] = &mirror;
  read_bytes(runtime, address, mirror.host, bytes, true);  // its initial value
  mirror.agreed.assign(mirror.host, mirror.host + bytes);
  return host;
}

Memory::Mirror* Memory::mirror_at(std::uint64_t host) {
  const auto found = holder(mirrors_, host);
  return found != mirrors_.end() && host - found->first < found->second->bytes ? found->second.get()
                                                                               : nullptr;
}

const Memory::Mirror* Memory::mirror_at(std::uint64_t host) const {
  const auto found = holder(mirrors_, host);
  return found != mirrors_.end() && host - found->first < found->second->bytes ? found->second.get()
                                                                               : nullptr;
}

const Memory::Mirror* Memory::alias_at(std::uint64_t device) const {
  const auto found = holder(aliases_, device);
  return found != aliases_.end() && device - found->first < found->second->bytes ? found->second : nullptr;
}

std::optional<Memory::Block> Memory::find(std::uint64_t address) const {
  address = host_address(address);
  if (const Mirror* const mirror = mirror_at(address)) {
    const std::uint64_t host = number(mirror->host);
    if (mirror->kind != Kind::kManaged) return Block{mirror->kind, host, mirror->bytes, mirror->flags};
    const auto part = holder(mirror->parts, address - host);
    if (part == mirror->parts.end() || address - host - part->first >= part->second) return std::nullopt;
    return Block{mirror->kind, host + part->first, part->second, mirror->flags};
  }
  const auto found = holder(device_, address);
  if (found == device_.end() || address - found->first >= found->second.bytes) return std::nullopt;
  // Not what the places of host memory have around them.
  if (found->second.kind == Kind::kPinned || found->second.kind == Kind::kManaged) return std::nullopt;
  return found->second;
}

bool Memory::is_device(std::uint64_t address) const {
  const auto block = find(address);
  return block && block->is_of_device();
}

std::uint64_t Memory::host_address(std::uint64_t address) const {
  const Mirror* const mirror = alias_at(address);
  return mirror == nullptr ? address : number(mirror->host) + (address - mirror->device);
}

std::uint64_t Memory::device_address(Runtime& runtime, std::uint64_t host) {
  Mirror* const mirror = mirror_at(host);
  if (mirror == nullptr) return 0;
  if (mirror->device == 0 && mirror->allocation != 0) return host;  // not exchanged yet
  if (mirror->device == 0) {
    if (place(runtime, mirror->kind, mirror->bytes, mirror->allocation) != Code::kSuccess) return 0;
    mirror->device = mirror->allocation;
    aliases_[mirror->device] = mirror;
    mirror->agreed.assign(mirror->bytes, std::byte{0});  // as the device's copy is
  }
  return mirror->device + (host - number(mirror->host));
}

void Memory::publish(Runtime& runtime) {
  // What goes to the device may name memory that is exchanged from then on.
  for (int before = unknown_ + 1; before != unknown_;) {
    before = unknown_;
    for (auto& [host, mirror] : mirrors_)
      if (mirror->device != 0) publish(runtime, *mirror);
  }
}

void Memory::publish(Runtime& runtime, Mirror& mirror) {
  const std::uint64_t used = mirror.used();
  const auto size_at = [&](std::uint64_t at) { return std::min(kPage, used - at); };
  const auto differs = [&](std::uint64_t at) {
    return std::memcmp(mirror.host + at, mirror.agreed.data() + at, size_at(at)) != 0;
  };
  for (std::uint64_t at = 0; at < used;) {
    std::uint64_t end = at;
    while (end < used && end - at < kWindowBytes && differs(end)) end += size_at(end);
    if (end == at) {
      at += size_at(at);
      continue;
    }
    write_bytes(runtime, mirror.device + at, mirror.host + at, end - at);
    std::memcpy(mirror.agreed.data() + at, mirror.host + at, end - at);
    at = end;
  }
}

void Memory::collect(Runtime& runtime) {
  if (!changed_) return;
  changed_ = false;
  for (auto& [host, mirror] : mirrors_)
    if (mirror->device != 0) collect(runtime, *mirror, 0, mirror->used());
}

bool Memory::has_copies() const {
  return std::any_of(mirrors_.begin(), mirrors_.end(),
                     [](const auto& each) { return each.second->device != 0 && each.second->used() != 0; });
}

void Memory::collect(Runtime& runtime, const std::vector<std::uint64_t>& pages) {
  changed_ = false;
  if (pages.empty()) return;
  for (auto& [host, mirror] : mirrors_) {
    if (mirror->device == 0) continue;
    const std::uint64_t begin = mirror->device, end = begin + mirror->used();
    auto page = std::lower_bound(pages.begin(), pages.end(), begin / kWrittenPage);
    while (page != pages.end() && *page * kWrittenPage < end) {
      const std::uint64_t first = *page;
      std::uint64_t next = first;
      for (; page != pages.end() && *page == next; ++page) ++next;
      collect(runtime, *mirror, std::max(first * kWrittenPage, begin) - begin,
              std::min(next * kWrittenPage, end) - begin);
    }
  }
}

void Memory::launched(Runtime& runtime) {
  changed_ = true;
  const auto is_small = [](const Mirror& mirror) {
    return mirror.device != 0 && mirror.used() <= kSmallBytes;
  };
  std::uint64_t all = 0;  // many of them would cost more than the launch
  for (const auto& [host, mirror] : mirrors_)
    if (is_small(*mirror)) all += rounded(mirror->used(), kPage);
  if (all > kSmallBytes) return;
  for (auto& [host, mirror] : mirrors_)
    if (is_small(*mirror)) collect(runtime, *mirror, 0, mirror->used());
}

void Memory::collect(Runtime& runtime, Mirror& mirror, std::uint64_t from, std::uint64_t end) {
  for (; from < end; from += kWindowBytes) {
    const std::uint64_t bytes = std::min(kWindowBytes, end - from);
    if (!fetch(runtime, mirror.device + from, bytes)) return;
    const std::byte* const now = runtime.connection().window();
    std::byte* const agreed = mirror.agreed.data() + from;
    std::byte* const host = mirror.host + from;
    for (std::uint64_t at = 0; at < bytes; at += kPage) {
      const std::uint64_t behind = std::min(at + kPage, bytes);
      if (std::memcmp(now + at, agreed + at, behind - at) == 0) continue;
      for (std::uint64_t i = at; i < behind; ++i)
        if (now[i] != agreed[i]) host[i] = agreed[i] = now[i];
    }
  }
}

void Memory::forget() {
  device_.clear();
  aliases_.clear();
  std::erase_if(mirrors_, [&](const auto& each) {
    Mirror& mirror = *each.second;
    mirror.device = mirror.allocation = 0;
    mirror.agreed.clear();
    if (mirror.kind == Kind::kManaged) ::munmap(mirror.host, mirror.bytes);
    return mirror.kind == Kind::kManaged;
  });
  count_unknown(-unknown_);
  used_ = 0;
  advice = {};
  changed_ = false;
  ++resets_;
}

}  // namespace heddle::runtime
