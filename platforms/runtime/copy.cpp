#include "runtime/copy.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

const std::byte* host_bytes(std::uint64_t address) {
  return reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}
std::byte* host_bytes_to_change(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// `offset`: in the window. The answer comes later.
void post(Runtime& runtime, Operation operation, std::uint64_t address, const Box& box,
          std::uint64_t offset = 0, bool internal = false) {
  Request request;
  request.operation = operation;
  request.arguments[0] = address;
  request.arguments[1] = internal ? 1 : 0;
  request.arguments[2] = offset;
  request.box = box;
  runtime.connection().post(request, {});
}

/// A part of a copy that fits into half of the window.
struct Piece {
  std::uint64_t device = 0, host = 0;  ///< addresses
  Box box;                             ///< of the device
};
constexpr std::uint64_t kHalf = kWindowBytes / 2;

/// Calls piece(Piece, offset of a half of the window) for the pieces of a copy, the halves in turn.
template <class Each>
void in_pieces(const Side& device, const Side& host, const Extent& extent, Each&& piece) {
  std::uint64_t half = 0;
  for (std::uint64_t z = 0; z < extent.depth; ++z) {
    const std::uint64_t rows_at_once =
        std::max<std::uint64_t>(1, kHalf / std::max<std::size_t>(extent.width, 1));
    for (std::uint64_t y = 0; y < extent.height; y += rows_at_once) {
      const std::uint64_t rows = std::min<std::uint64_t>(rows_at_once, extent.height - y);
      const std::uint64_t at = z * device.slice + y * device.pitch, there = z * host.slice + y * host.pitch;
      for (std::uint64_t x = 0; x < extent.width; x += kHalf, half = kHalf - half) {
        Box box;
        box.width = std::min<std::uint64_t>(kHalf, extent.width - x);
        box.height = rows;
        box.pitch = device.pitch;
        piece(Piece{device.address + at + x, host.address + there + x, box}, half);
      }
    }
  }
}

/// Answers to pieces that have been posted: two at most, so that the session moves one while the program moves the other.
class Posted {
 public:
  explicit Posted(Runtime& runtime) : runtime_(runtime) {}
  void add() { ++count_; }
  [[nodiscard]] bool both() const { return count_ == 2; }
  [[nodiscard]] bool any() const { return count_ != 0; }
  /// Waits for the older one. False: an error, of this one or before.
  bool take() {
    --count_;
    if (const Code code = runtime_.answer().reply.code; code_ == Code::kSuccess) code_ = code;
    return good();
  }
  [[nodiscard]] bool good() const { return code_ == Code::kSuccess; }
  [[nodiscard]] Code code() const { return code_; }

 private:
  Runtime& runtime_;
  unsigned count_ = 0;
  Code code_ = Code::kSuccess;
};

/// One row, if rows lie behind each other on both sides.
Extent flattened(const Side& a, const Side& b, Extent extent) {
  if (extent.height == 1 || (a.pitch == extent.width && b.pitch == extent.width)) {
    const std::uint64_t plane = extent.width * extent.height;
    if (extent.depth == 1 || (a.slice == plane && b.slice == plane)) return {plane * extent.depth, 1, 1};
  }
  return extent;
}

Code upload(Runtime& runtime, const Side& to, const Side& from, const Extent& extent) {
  Posted posted(runtime);
  in_pieces(to, from, extent, [&](const Piece& piece, std::uint64_t half) {
    if (posted.both()) posted.take();
    if (!posted.good()) return;
    std::byte* window = runtime.connection().window() + half;
    for (std::uint64_t y = 0; y < piece.box.height; ++y, window += piece.box.width) {
      const std::byte* const row = host_bytes(piece.host + y * from.pitch);
      std::memcpy(window, row, piece.box.width);
      const std::uint64_t skipped = -reinterpret_cast<std::uint64_t>(row) % sizeof(std::uint64_t);
      if (skipped < piece.box.width) runtime.memory.note_addresses(row + skipped, piece.box.width - skipped);
    }
    post(runtime, Operation::kWrite, piece.device, piece.box, half);
    posted.add();
  });
  while (posted.any()) posted.take();
  return posted.code();
}

Code download(Runtime& runtime, const Side& to, const Side& from, const Extent& extent) {
  Posted posted(runtime);
  Piece older;
  std::uint64_t older_half = 0;
  const auto take = [&] {
    if (!posted.take()) return;
    const std::byte* window = runtime.connection().window() + older_half;
    for (std::uint64_t y = 0; y < older.box.height; ++y, window += older.box.width)
      std::memcpy(host_bytes_to_change(older.host + y * to.pitch), window, older.box.width);
  };
  in_pieces(from, to, extent, [&](const Piece& piece, std::uint64_t half) {
    if (!posted.good()) return;
    post(runtime, Operation::kRead, piece.device, piece.box, half);
    if (posted.any()) take();
    posted.add();
    older = piece;
    older_half = half;
  });
  while (posted.any()) take();
  return posted.code();
}

Code across(Runtime& runtime, const Side& to, const Side& from, const Extent& extent) {
  Request request;
  request.operation = Operation::kCopy;
  request.arguments[0] = to.address;
  request.arguments[1] = from.address;
  request.arguments[2] = from.pitch;
  request.arguments[3] = from.slice;
  request.box = {extent.width, extent.height, extent.depth, to.pitch, to.slice};
  return runtime.ask(request).reply.code;
}

void within_host(const Side& to, const Side& from, const Extent& extent) {
  for (std::uint64_t z = 0; z < extent.depth; ++z)
    for (std::uint64_t y = 0; y < extent.height; ++y)
      std::memmove(host_bytes_to_change(to.address + z * to.slice + y * to.pitch),
                   host_bytes(from.address + z * from.slice + y * from.pitch), extent.width);
}

void fill_row(std::byte* row, std::uint64_t bytes, std::uint32_t value, std::uint32_t size) {
  if (size == 1)
    std::memset(row, static_cast<int>(value), bytes);
  else
    for (std::uint64_t at = 0; at < bytes; at += size) std::memcpy(row + at, &value, size);
}

/// Whether the rows lie in the block. Sums that wrap do not.
bool within(const Memory::Block& block, const Side& side, const Extent& extent) {
  std::uint64_t planes = 0, rows = 0, end = 0;
  return !__builtin_mul_overflow(extent.depth - 1, side.slice, &planes) &&
         !__builtin_mul_overflow(extent.height - 1, side.pitch, &rows) &&
         !__builtin_add_overflow(planes, rows, &end) && !__builtin_add_overflow(end, extent.width, &end) &&
         end <= block.bytes - (side.address - block.address);
}

bool is_empty(const Extent& extent) { return extent.width == 0 || extent.height == 0 || extent.depth == 0; }

/// Where a copy's bytes are.
struct Ends {
  Side to, from;
  bool to_device = false, from_device = false;
};

/// Everything that can be wrong with a copy, before any byte of the host is touched.
Code find_ends(const Runtime& runtime, const Side& to, const Side& from, const Extent& extent, int kind,
               Ends& ends) {
  if (kind < kHostToHost || kind > kDefault) return Code::kInvalidMemcpyDirection;
  if (is_empty(extent)) return Code::kSuccess;
  if ((extent.height > 1 || extent.depth > 1) && (to.pitch < extent.width || from.pitch < extent.width))
    return Code::kInvalidPitchValue;
  if (to.address == 0 || from.address == 0) return Code::kInvalidValue;
  ends.to = to;
  ends.from = from;
  ends.to.address = runtime.memory.host_address(to.address);
  ends.from.address = runtime.memory.host_address(from.address);
  const auto to_block = runtime.memory.find(ends.to.address),
             from_block = runtime.memory.find(ends.from.address);
  ends.to_device = to_block ? to_block->is_of_device() : kind == kHostToDevice || kind == kDeviceToDevice;
  ends.from_device =
      from_block ? from_block->is_of_device() : kind == kDeviceToHost || kind == kDeviceToDevice;
  if (ends.to_device && !to_block) return Code::kInvalidValue;
  // A direction that says the opposite of an address of the device is an error, as on a card.
  if (kind == kHostToHost && (ends.to_device || ends.from_device)) return Code::kInvalidValue;
  if ((kind == kHostToDevice && ends.from_device) || (kind == kDeviceToHost && ends.to_device))
    return Code::kInvalidValue;
  const auto misses = [&](const std::optional<Memory::Block>& block, const Side& side) {
    return block && block->is_of_device() && !within(*block, side, extent);
  };
  return misses(to_block, ends.to) || misses(from_block, ends.from) ? Code::kInvalidValue : Code::kSuccess;
}

}  // namespace

bool fetch(Runtime& runtime, std::uint64_t address, std::uint64_t bytes) {
  post(runtime, Operation::kRead, address, {bytes, 1, 1, bytes, bytes}, 0, true);
  return runtime.answer().reply.code == Code::kSuccess;
}

Code write_bytes(Runtime& runtime, std::uint64_t address, const void* from, std::uint64_t bytes) {
  return upload(runtime, {address}, {reinterpret_cast<std::uint64_t>(from)}, {bytes, 1, 1});
}

Code read_bytes(Runtime& runtime, std::uint64_t address, void* to, std::uint64_t bytes, bool internal) {
  if (!internal) return download(runtime, {reinterpret_cast<std::uint64_t>(to)}, {address}, {bytes, 1, 1});
  for (std::uint64_t at = 0; at < bytes; at += kWindowBytes) {
    const std::uint64_t piece = std::min(kWindowBytes, bytes - at);
    if (!fetch(runtime, address + at, piece)) return Code::kUnknown;
    std::memcpy(static_cast<std::byte*>(to) + at, runtime.connection().window(), piece);
  }
  return Code::kSuccess;
}

Code copy(Runtime& runtime, const Side& to, const Side& from, const Extent& extent, int kind) {
  if (is_empty(extent) && kind >= kHostToHost && kind <= kDefault) return Code::kSuccess;
  runtime.memory.collect(runtime);
  Ends ends;
  if (const Code code = find_ends(runtime, to, from, extent, kind, ends); code != Code::kSuccess) return code;
  const std::uint64_t bytes = extent.width * extent.height * extent.depth;
  const Extent shape = flattened(ends.to, ends.from, extent);
  if (!ends.to_device && !ends.from_device) {
    within_host(ends.to, ends.from, shape);
    runtime.advance_copy(bytes, Engine::kToHost);
    return Code::kSuccess;
  }
  if (ends.to_device && ends.from_device) {
    runtime.advance_memory(2 * bytes);
    return across(runtime, ends.to, ends.from, shape);
  }
  runtime.advance_copy(bytes, ends.to_device ? Engine::kToDevice : Engine::kToHost);
  return ends.to_device ? upload(runtime, ends.to, ends.from, shape)
                        : download(runtime, ends.to, ends.from, shape);
}

Code check_copy(const Runtime& runtime, const Side& to, const Side& from, const Extent& extent, int kind) {
  Ends ends;
  return find_ends(runtime, to, from, extent, kind, ends);
}

bool is_pageable(const Runtime& runtime, std::uint64_t from, int kind) {
  return kind != kDeviceToHost && kind != kDeviceToDevice && !runtime.memory.find(from);
}

std::shared_ptr<std::vector<std::byte>> staged(const Side& from, const Extent& extent) {
  std::uint64_t rows = 0, bytes = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows) ||
      __builtin_mul_overflow(rows, extent.width, &bytes) ||
      (bytes != 0 && (from.address == 0 || (rows > 1 && from.pitch < extent.width))))
    return nullptr;
  auto to = std::make_shared<std::vector<std::byte>>(bytes);
  within_host({reinterpret_cast<std::uint64_t>(to->data()), extent.width, extent.width * extent.height}, from,
              extent);
  return to;
}

Code fill(Runtime& runtime, const Side& to, std::uint32_t value, const Extent& extent, std::uint32_t size) {
  if (is_empty(extent)) return Code::kSuccess;
  if (extent.height > 1 && to.pitch < extent.width) return Code::kInvalidValue;
  if (to.address % size != 0 || extent.width % size != 0) return Code::kInvalidValue;
  runtime.memory.collect(runtime);
  Side target = to;
  target.address = runtime.memory.host_address(to.address);
  const auto block = runtime.memory.find(target.address);
  if (!block || !within(*block, target, extent)) return Code::kInvalidValue;
  runtime.advance_memory(extent.width * extent.height * extent.depth);
  const Extent shape = flattened(target, target, extent);
  if (!block->is_of_device()) {
    for (std::uint64_t z = 0; z < shape.depth; ++z)
      for (std::uint64_t y = 0; y < shape.height; ++y)
        fill_row(host_bytes_to_change(target.address + z * target.slice + y * target.pitch), shape.width,
                 value, size);
    return Code::kSuccess;
  }
  Request request;
  request.operation = Operation::kFill;
  request.arguments[0] = target.address;
  request.arguments[1] = value;
  request.arguments[2] = size;
  request.box = {shape.width, shape.height, shape.depth, target.pitch, target.slice};
  return runtime.ask(request).reply.code;
}

}  // namespace heddle::runtime
