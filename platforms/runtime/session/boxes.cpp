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

/// Calls run(offset in `bytes`, offset in the box, length) for the pieces of the box's rows in a plane's block rows, which
/// begin at `first`.
template <class Run>
void for_pieces(const Box& box, const isa::TextureHeader& layout, std::uint64_t first, Run&& run) {
  constexpr std::uint64_t kPiece = 16;  // bytes of a row that lie behind each other
  for (std::uint64_t y = 0; y < box.height; ++y)
    for (std::uint64_t x = 0; x < box.width;) {
      const std::uint64_t length = std::min(kPiece - (box.x + x) % kPiece, box.width - x);
      run(isa::texture_offset(layout, box.x + x, box.y + y, 0) - first, y * box.width + x, length);
      x += length;
    }
}

/// Planes of an array whose rows are in blocks: `window` has the box's rows, packed.
void move_blocks(host::Device& device, std::uint64_t address, const Box& box, std::span<std::byte> window,
                 bool writes) {
  isa::TextureHeader layout;
  layout.block_height_log2 = static_cast<std::uint8_t>(box.block_height_log2);
  layout.pitch = static_cast<std::uint32_t>(box.pitch);
  const std::uint64_t rows = std::uint64_t{8} << box.block_height_log2, row_of_blocks = rows * box.pitch;
  const std::uint64_t first = box.y / rows * row_of_blocks;
  const std::uint64_t end = (box.y + box.height + rows - 1) / rows * row_of_blocks;
  std::vector<std::byte> bytes(end - first);
  for (std::uint64_t z = 0; z < box.depth; ++z) {
    const std::uint64_t plane = address + z * box.slice + first;
    const auto packed = window.subspan(z * box.width * box.height, box.width * box.height);
    device.read(plane, bytes);
    for_pieces(box, layout, first, [&](std::uint64_t at, std::uint64_t from, std::uint64_t length) {
      if (writes)
        std::memcpy(bytes.data() + at, packed.data() + from, length);
      else
        std::memcpy(packed.data() + from, bytes.data() + at, length);
    });
    if (writes) device.write(plane, bytes);
  }
}

}  // namespace

void Session::write_box(const Request& request) {
  if (request.box.in_blocks != 0)
    return move_blocks(*device_, request.arguments[0], request.box, channel_.window(), true);
  std::uint64_t at = 0;
  for_rows(request.arguments[0], request.box, [&](std::uint64_t address, std::uint64_t bytes) {
    device_->write(address, channel_.window().subspan(at, bytes));
    at += bytes;
  });
}

void Session::read_box(const Request& request) {
  std::uint64_t at = 0;
  if (request.box.in_blocks != 0) {
    move_blocks(*device_, request.arguments[0], request.box, channel_.window(), false);
    at = request.box.width * request.box.height * request.box.depth;
  } else
    for_rows(request.arguments[0], request.box, [&](std::uint64_t address, std::uint64_t bytes) {
      device_->read(address, channel_.window().subspan(at, bytes));
      at += bytes;
    });
  if (settings_.on_read && request.arguments[1] == 0) settings_.on_read(channel_.window().first(at));
}

void Session::fill_box(const Request& request) {
  const std::uint64_t value = request.arguments[1], size = request.arguments[2];
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;  // a multiple of every size
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
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
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
