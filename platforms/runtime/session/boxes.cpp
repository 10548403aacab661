// Copies of rows and planes between the window and device memory.
#include <algorithm>
#include <cstring>
#include <span>

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

}  // namespace

void Session::write_box(const Request& request) {
  std::uint64_t at = 0;
  for_rows(request.arguments[0], request.box, [&](std::uint64_t address, std::uint64_t bytes) {
    device_->write(address, channel_.window().subspan(at, bytes));
    at += bytes;
  });
}

void Session::read_box(const Request& request) {
  std::uint64_t at = 0;
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
