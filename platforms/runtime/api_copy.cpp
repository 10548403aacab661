// Copies and fills, of all dimensions and directions, and symbols.
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/arrays.h"
#include "runtime/copy.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// A copy in a stream. If it has to wait, pageable host memory is read now, as cards do.
int copy_in(StreamHandle stream, const Side& to, const Side& from, const Extent& extent, int kind) {
  return call([&](Runtime& runtime) {
    const Stream* const in = runtime.streams.find(stream);
    if (in == nullptr) return Code::kInvalidResourceHandle;
    runtime.streams.before_copy(runtime, *in, kind, to.address);
    // A graph reads the memory when it is launched.
    if (in->capture != nullptr || in->idle() || runtime.streams.is_default(stream) ||
        !is_pageable(runtime, from.address, kind))
      return runtime.streams.run(runtime, stream, [&runtime, to, from, extent, kind] {
        return copy(runtime, to, from, extent, kind);
      });
    if (const Code code = check_copy(runtime, to, from, extent, kind); code != Code::kSuccess) return code;
    const auto rows = staged(from, extent);
    if (rows == nullptr) return Code::kInvalidValue;
    return runtime.streams.run(runtime, stream, [&runtime, to, rows, extent, kind] {
      const Side packed{address_of(rows->data()), extent.width, extent.width * extent.height};
      return copy(runtime, to, packed, extent, kind);
    });
  });
}

/// A copy that returns when it is done: it waits for what its stream has left behind.
int copy_now(const Side& to, const Side& from, const Extent& extent, int kind) {
  return copy_in(nullptr, to, from, extent, kind);
}

int fill_in(StreamHandle stream, const Side& to, int value, const Extent& extent) {
  return call([&](Runtime& runtime) {
    return runtime.streams.run(
        runtime, stream,
        [&runtime, to, value, extent] {
          return fill(runtime, to, static_cast<unsigned char>(value), extent);
        },
        Stream::kFillOperation);
  });
}

Side row(const void* pointer, std::size_t bytes) { return {address_of(pointer), bytes, bytes}; }
Side rows(const void* pointer, std::size_t pitch, std::size_t height) {
  return {address_of(pointer), pitch, pitch * height};
}
Side box(const PitchedPointer& at, const Position& position) {
  const std::size_t slice = at.pitch * at.rows;
  return {address_of(at.pointer) + position.z * slice + position.y * at.pitch + position.x, at.pitch, slice};
}

}  // namespace

HEDDLE_CUDA int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy_now(row(to, bytes), row(from, bytes), {bytes, 1, 1}, kind);
}
HEDDLE_CUDA int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind,
                                StreamHandle stream) {
  return copy_in(stream, row(to, bytes), row(from, bytes), {bytes, 1, 1}, kind);
}
HEDDLE_CUDA int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                             std::size_t width, std::size_t height, int kind) {
  return copy_now(rows(to, to_pitch, height), rows(from, from_pitch, height), {width, height, 1}, kind);
}
HEDDLE_CUDA int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                  std::size_t width, std::size_t height, int kind, StreamHandle stream) {
  return copy_in(stream, rows(to, to_pitch, height), rows(from, from_pitch, height), {width, height, 1},
                 kind);
}
HEDDLE_CUDA int cudaMemcpy3DAsync(const Copy3D* copy, StreamHandle stream) {
  if (copy == nullptr) return static_cast<int>(last_error() = Code::kInvalidValue);
  if (copy->from_array != nullptr || copy->to_array != nullptr) return copy_3d_of_arrays(*copy, stream);
  return copy_in(stream, box(copy->to, copy->to_position), box(copy->from, copy->from_position), copy->extent,
                 copy->kind);
}
HEDDLE_CUDA int cudaMemcpy3D(const Copy3D* copy) { return cudaMemcpy3DAsync(copy, nullptr); }
HEDDLE_CUDA int cudaMemcpy3DPeerAsync(const PeerCopy3D* copy, StreamHandle stream) {
  if (copy == nullptr) return static_cast<int>(last_error() = Code::kInvalidValue);
  if (copy->from_device != 0 || copy->to_device != 0)
    return static_cast<int>(last_error() = Code::kInvalidDevice);
  if (copy->from_array != nullptr || copy->to_array != nullptr)
    return copy_3d_of_arrays({copy->from_array, copy->from_position, copy->from, copy->to_array,
                              copy->to_position, copy->to, copy->extent, kDeviceToDevice},
                             stream);
  return copy_in(stream, box(copy->to, copy->to_position), box(copy->from, copy->from_position), copy->extent,
                 kDeviceToDevice);
}
HEDDLE_CUDA int cudaMemcpy3DPeer(const PeerCopy3D* copy) { return cudaMemcpy3DPeerAsync(copy, nullptr); }
HEDDLE_CUDA int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                    std::size_t bytes, StreamHandle stream) {
  if (to_device != 0 || from_device != 0) return static_cast<int>(last_error() = Code::kInvalidDevice);
  return copy_in(stream, row(to, bytes), row(from, bytes), {bytes, 1, 1}, kDeviceToDevice);
}
HEDDLE_CUDA int cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                               std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

HEDDLE_CUDA int cudaMemsetAsync(void* to, int value, std::size_t bytes, StreamHandle stream) {
  return fill_in(stream, row(to, bytes), value, {bytes, 1, 1});
}
HEDDLE_CUDA int cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}
HEDDLE_CUDA int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                  std::size_t height, StreamHandle stream) {
  return fill_in(stream, rows(to, pitch, height), value, {width, height, 1});
}
HEDDLE_CUDA int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
HEDDLE_CUDA int cudaMemset3DAsync(PitchedPointer to, int value, Extent extent, StreamHandle stream) {
  return fill_in(stream, box(to, {}), value, extent);
}
HEDDLE_CUDA int cudaMemset3D(PitchedPointer to, int value, Extent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

// ---- Variables of modules.

namespace {

template <class Use>
int with_symbol(const void* symbol, Use&& use) {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  const int code = call([&](Runtime& runtime) {
    Variable* const variable = runtime.modules.variable(symbol);
    if (variable == nullptr) return Code::kInvalidSymbol;
    const Code found = runtime.modules.find(runtime, *variable);
    if (found != Code::kSuccess) return found;
    address = runtime.memory.host_address(variable->address);  // a __managed__ variable is the host's
    bytes = variable->bytes;
    return Code::kSuccess;
  });
  return code != 0 ? code : use(address, bytes);
}

int to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
              StreamHandle stream) {
  return with_symbol(symbol, [&](std::uint64_t address, std::size_t size) {
    if (offset > size || bytes > size - offset) return static_cast<int>(last_error() = Code::kInvalidValue);
    return copy_in(stream, {address + offset, bytes, bytes}, row(from, bytes), {bytes, 1, 1}, kind);
  });
}

int from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                StreamHandle stream) {
  return with_symbol(symbol, [&](std::uint64_t address, std::size_t size) {
    if (offset > size || bytes > size - offset) return static_cast<int>(last_error() = Code::kInvalidValue);
    return copy_in(stream, row(to, bytes), {address + offset, bytes, bytes}, {bytes, 1, 1}, kind);
  });
}

}  // namespace

HEDDLE_CUDA int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                   std::size_t offset, int kind) {
  return to_symbol(symbol, from, bytes, offset, kind, nullptr);
}
HEDDLE_CUDA int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                        std::size_t offset, int kind, StreamHandle stream) {
  return to_symbol(symbol, from, bytes, offset, kind, stream);
}
HEDDLE_CUDA int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                     int kind) {
  return from_symbol(to, symbol, bytes, offset, kind, nullptr);
}
HEDDLE_CUDA int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                          int kind, StreamHandle stream) {
  return from_symbol(to, symbol, bytes, offset, kind, stream);
}
HEDDLE_CUDA int cudaGetSymbolAddress(void** address, const void* symbol) {
  if (address == nullptr) return static_cast<int>(last_error() = Code::kInvalidValue);
  return with_symbol(symbol, [&](std::uint64_t at, std::size_t) {
    std::memcpy(address, &at, sizeof at);
    return 0;
  });
}
HEDDLE_CUDA int cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  if (bytes == nullptr) return static_cast<int>(last_error() = Code::kInvalidValue);
  return with_symbol(symbol, [&](std::uint64_t, std::size_t size) {
    *bytes = size;
    return 0;
  });
}
