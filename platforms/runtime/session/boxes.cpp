// Copies of rows and planes between the window and device memory.
#include <algorithm>
#include <cstring>
#include <span>

#include "isa/texture.h"
#include "runtime/session/session.h"

namespace heddle::runtime {
namespace {

/// Calls row(address, bytes) for the longest runs of memory that lie behind each other.
template <class Row>
void for_rows(std::uint64_t address, const Box& box, Row&& row) {
  std::uint64_t width = box.width, height = box.height, depth = box.depth;
  if (height == 1 || box.pitch == width) {
    width *= height;
    if (depth == 1 || box.slice == width) {
      width *= depth;
      depth = 1;
    }
    height = 1;
  }
  for (std::uint64_t z = 0; z < depth; ++z)
    for (std::uint64_t y = 0; y < height; ++y) row(address + z * box.slice + y * box.pitch, width);
}

/// A part of a box: where it begins in the plane, and its size.
struct Part {
  std::uint64_t x = 0, y = 0, width = 0, height = 0;
};

/// Calls run(offset in the plane, offset in the box, length) for the pieces of a part's rows.
template <class Run>
void for_pieces(const Box& box, const isa::TextureHeader& layout, const Part& part, Run&& run) {
  constexpr std::uint64_t kPiece = 16;  // bytes of a row that lie behind each other
  for (std::uint64_t y = part.y; y < part.y + part.height; ++y)
    for (std::uint64_t x = part.x; x < part.x + part.width;) {
      const std::uint64_t length = std::min(kPiece - x % kPiece, part.x + part.width - x);
      run(isa::texture_offset(layout, x, y, 0), (y - box.y) * box.width + x - box.x, length);
      x += length;
    }
}

/// Planes of an array whose rows are in blocks: `window` has the box's rows, packed. Blocks beside each other lie behind each other:
/// so many of them pass the host at once.
void move_blocks(host::Device& device, std::uint64_t address, const Box& box, std::span<std::byte> window,
                 bool writes) {
  isa::TextureHeader layout;
  layout.block_height_log2 = static_cast<std::uint8_t>(box.block_height_log2);
  layout.pitch = static_cast<std::uint32_t>(box.pitch);
  constexpr std::uint64_t kBlockWidth = 64, kBytesAtOnce = std::uint64_t{1} << 20;
  const std::uint64_t rows = std::uint64_t{8} << box.block_height_log2;
  const std::uint64_t width = kBytesAtOnce / rows;  // at once: a multiple of a block's
  std::vector<std::byte> bytes;
  const auto move = [&](std::uint64_t plane, std::span<std::byte> packed, const Part& part) {
    const auto block =
        [&](std::uint64_t x) {  // its first byte; the end of a row of blocks is that of its last one
          return part.y / rows * rows * box.pitch + x * rows;
        };
    const std::uint64_t first = block(part.x / kBlockWidth * kBlockWidth);
    bytes.resize(block((part.x + part.width + kBlockWidth - 1) / kBlockWidth * kBlockWidth) - first);
    device.read(plane + first, bytes);
    for_pieces(box, layout, part, [&](std::uint64_t at, std::uint64_t from, std::uint64_t length) {
      if (writes)
        std::memcpy(bytes.data() + (at - first), packed.data() + from, length);
      else
        std::memcpy(packed.data() + from, bytes.data() + (at - first), length);
    });
    if (writes) device.write(plane + first, bytes);
  };
  const std::uint64_t right = box.x + box.width, below = box.y + box.height;
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = box.y; y < below; y = (y / rows + 1) * rows)
      for (std::uint64_t x = box.x; x < right; x = (x / width + 1) * width)
        move(
            address + z * box.slice, window.subspan(z * box.width * box.height, box.width * box.height),
            {x, y, std::min((x / width + 1) * width, right) - x, std::min((y / rows + 1) * rows, below) - y});
}

}  // namespace

void Session::write_box(const Request& request) {
  const std::span<std::byte> window = channel_.window().subspan(request.arguments[2]);
  if (request.box.in_blocks != 0)
    return move_blocks(*device_, request.arguments[0], request.box, window, true);
  std::uint64_t at = 0;
  for_rows(request.arguments[0], request.box, [&](std::uint64_t address, std::uint64_t bytes) {
    device_->write(address, window.subspan(at, bytes));
    at += bytes;
  });
}

void Session::read_box(const Request& request) {
  const std::span<std::byte> window = channel_.window().subspan(request.arguments[2]);
  std::uint64_t at = 0;
  if (request.box.in_blocks != 0) {
    move_blocks(*device_, request.arguments[0], request.box, window, false);
    at = request.box.width * request.box.height * request.box.depth;
  } else
    for_rows(request.arguments[0], request.box, [&](std::uint64_t address, std::uint64_t bytes) {
      device_->read(address, window.subspan(at, bytes));
      at += bytes;
    });
  if (settings_.on_read && request.arguments[1] == 0)
    settings_.on_read(window.first(at), names_.named(window.first(at), *device_));
}

void Session::fill_box(const Request& request) {
  const std::uint64_t value = request.arguments[1], size = request.arguments[2];
  constexpr std::uint64_t kChunk = std::uint64_t{256} << 10;  // a multiple of every size; stays in the cache
  const Box& box = request.box;
  std::vector<std::byte> pattern(std::min<std::uint64_t>(kChunk, box.width * box.height * box.depth));
  for (std::size_t i = 0; i < pattern.size(); ++i)
    pattern[i] = static_cast<std::byte>(value >> (i % size * 8));
  for_rows(request.arguments[0], box, [&](std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t at = 0; at < bytes; at += kChunk)
      device_->write(address + at, std::span(pattern).first(std::min(kChunk, bytes - at)));
  });
}

void Session::copy_box(const Request& request) {
  const Box& to = request.box;
  Box from = to;
  from.pitch = request.arguments[2];
  from.slice = request.arguments[3];
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;  // long enough for a device's large copies
  const bool whole = (to.height == 1 || (to.pitch == to.width && from.pitch == to.width)) &&
                     (to.depth == 1 || (to.slice == to.width * to.height && from.slice == to.slice));
  const std::uint64_t rows = whole ? 1 : to.height, planes = whole ? 1 : to.depth;
  const std::uint64_t width = whole ? to.width * to.height * to.depth : to.width;
  std::vector<std::byte> row(std::min(kChunk, width));
  for (std::uint64_t z = 0; z < planes; ++z)
    for (std::uint64_t y = 0; y < rows; ++y)
      for (std::uint64_t at = 0; at < width; at += kChunk) {
        const auto piece = std::span(row).first(std::min(kChunk, width - at));
        device_->read(request.arguments[1] + z * from.slice + y * from.pitch + at, piece);
        device_->write(request.arguments[0] + z * to.slice + y * to.pitch + at, piece);
      }
}

}  // namespace heddle::runtime
