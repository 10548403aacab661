// Hints for managed memory, which both sides have: they are only kept.
#include <algorithm>
#include <cstring>

#include "runtime/advice.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

enum Attribute : int {  // cudaMemRangeAttribute
  kReadMostly = 1,
  kPreferred,
  kAccessedBy,
  kPrefetched,
  kPreferredType,
  kPreferredId,
  kPrefetchedType,
  kPrefetchedId
};

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Whether all of it is in one managed allocation or variable.
bool is_managed(const Runtime& runtime, const void* pointer, std::size_t bytes) {
  using Kind = Memory::Kind;
  const auto block = runtime.memory.find(address_of(pointer));
  return block && (block->kind == Kind::kManaged || block->kind == Kind::kVariable) && bytes != 0 &&
         bytes <= block->bytes - (runtime.memory.host_address(address_of(pointer)) - block->address);
}

Code check(Location where) {
  if (where.type < Location::kDevice || where.type > Location::kLast) return Code::kInvalidValue;
  return where.type == Location::kDevice && where.id != 0 ? Code::kInvalidDevice : Code::kSuccess;
}

Code with_memory(Runtime& runtime, const void* pointer, std::size_t bytes,
                 const std::function<void(Advice::Facts&)>& how) {
  if (!is_managed(runtime, pointer, bytes)) return Code::kInvalidValue;
  runtime.memory.advice.change(address_of(pointer), bytes, how);
  return Code::kSuccess;
}

Code answer(const Advice::Facts& facts, int attribute, void* data, std::size_t bytes) {
  if (data == nullptr || bytes == 0 || bytes % sizeof(int) != 0) return Code::kInvalidValue;
  if (attribute == kAccessedBy) {
    std::vector<int> devices(bytes / sizeof(int), Location{}.device());
    std::size_t next = 0;
    if (facts.accessed_by_device) devices[next++] = 0;
    if (facts.accessed_by_host && next < devices.size()) devices[next] = Location::of(-1).device();
    std::memcpy(data, devices.data(), bytes);
    return Code::kSuccess;
  }
  const int values[] = {0,
                        facts.read_mostly ? 1 : 0,
                        facts.preferred.device(),
                        0,
                        facts.prefetched.device(),
                        facts.preferred.type,
                        facts.preferred.id,
                        facts.prefetched.type,
                        facts.prefetched.id};
  if (bytes != sizeof(int) || attribute < kReadMostly || attribute > kPrefetchedId)
    return Code::kInvalidValue;
  std::memcpy(data, &values[attribute], sizeof(int));
  return Code::kSuccess;
}

}  // namespace

int heddle::runtime::advise(const void* pointer, std::size_t bytes, int advice, Location where) {
  return call([&](Runtime& runtime) {
    enum { kSetRead = 1, kUnsetRead, kSetPreferred, kUnsetPreferred, kSetAccessed, kUnsetAccessed };
    if (advice < kSetRead || advice > kUnsetAccessed) return Code::kInvalidValue;
    const bool needs_place = advice == kSetPreferred || advice >= kSetAccessed;  // others take any
    if (const Code code = needs_place ? check(where) : Code::kSuccess; code != Code::kSuccess) return code;
    return with_memory(runtime, pointer, bytes, [&](Advice::Facts& facts) {
      bool& accessed = where.type == Location::kDevice ? facts.accessed_by_device : facts.accessed_by_host;
      if (advice <= kUnsetRead)
        facts.read_mostly = advice == kSetRead;
      else if (advice <= kUnsetPreferred)
        facts.preferred = advice == kSetPreferred ? where : Location{};
      else
        accessed = advice == kSetAccessed;
    });
  });
}
int heddle::runtime::prefetch(const void* pointer, std::size_t bytes, Location where, StreamHandle stream) {
  return call([&](Runtime& runtime) {
    if (runtime.streams.find(stream) == nullptr) return Code::kInvalidResourceHandle;
    if (const Code code = check(where); code != Code::kSuccess) return code;
    return with_memory(runtime, pointer, bytes, [&](Advice::Facts& facts) { facts.prefetched = where; });
  });
}
HEDDLE_CUDA int cudaMemRangeGetAttribute(void* data, std::size_t size, int attribute, const void* pointer,
                                         std::size_t bytes) {
  return call([&](Runtime& runtime) {
    if (!is_managed(runtime, pointer, bytes)) return Code::kInvalidValue;
    return answer(runtime.memory.advice.common(address_of(pointer), bytes), attribute, data, size);
  });
}
HEDDLE_CUDA int cudaMemRangeGetAttributes(void** data, const std::size_t* sizes, const int* attributes,
                                          std::size_t count, const void* pointer, std::size_t bytes) {
  if (data == nullptr || sizes == nullptr || attributes == nullptr || count == 0)
    return static_cast<int>(last_error() = Code::kInvalidValue);
  int code = 0;
  for (std::size_t i = 0; i < count && code == 0; ++i)
    code = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, bytes);
  return code;
}
