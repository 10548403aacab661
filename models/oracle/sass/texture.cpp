// TEX, TLD, TLD4, TXD, TXQ, SULD, SUST. Their operands are described in frontend/sass/forms_texture.cpp.
#include "oracle/sass/texture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "oracle/texture.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr std::array<unsigned, 8> kBytes{1, 1, 2, 2, 4, 8, 16, 16};

/// The memory of a lane; a fault ends the access with its text.
class LaneMemory final : public TextureMemory {
 public:
  struct Fault {
    std::string why;
  };
  LaneMemory(MemoryAccess& access, Values& v) : access_(access), v_(v) {}

  bool read_byte(std::uint64_t address, std::byte& byte) override {
    return access_.read_byte(v_.lane(), address, byte);
  }
  const std::byte* read(std::uint64_t address, unsigned bytes) override {
    return global(address, bytes, "fetch", host::Access::kKernelRead);
  }
  std::byte* write(std::uint64_t address, unsigned bytes) override {
    return global(address, bytes, "surface store", host::Access::kKernelWrite);
  }
  void fault(const std::string& why) override { throw Fault{why}; }

 private:
  std::byte* global(std::uint64_t address, unsigned bytes, const char* what, host::Access how) {
    std::string problem;
    std::byte* const at = access_.global(v_, address, bytes, what, how, problem);
    if (at == nullptr) fault(problem);
    return at;
  }
  MemoryAccess& access_;
  Values& v_;
};

/// Codes of the field of dimensions.
void set_shape(const Op& op, bool surface, TextureRequest& request) {
  struct Shape {
    unsigned dimensions;
    bool layered, cube;
  };
  constexpr std::array<Shape, 8> kTextures{{{1, false, false},
                                            {2, false, false},
                                            {3, false, false},
                                            {3, false, true},
                                            {1, true, false},
                                            {2, true, false},
                                            {2, false, false},
                                            {3, true, true}}};
  constexpr std::array<Shape, 6> kSurfaces{{{1, false, false},
                                            {1, false, false},
                                            {1, true, false},
                                            {2, false, false},
                                            {2, true, false},
                                            {3, false, false}}};
  const unsigned code = op.value(Modifier::kShape);
  const Shape shape = surface ? kSurfaces[code] : kTextures[code];
  request.dimensions = shape.dimensions;
  request.layered = shape.layered;
  request.cube = shape.cube;
}

/// Coordinates in the order of the request, and the object.
void set_place(Values& v, TextureRequest& request) {
  const Op& op = v.op();
  const auto a = [&](unsigned i) { return read_register(v.lane(), *op.find(Role::kA), i); };
  const auto b = [&](unsigned i) { return read_register(v.lane(), *op.find(Role::kB), i); };
  const bool given = op.find(Role::kHandle) != nullptr;
  const unsigned count = request.dimensions + (request.layered ? 1 : 0);
  if (op.instruction.op == Opcode::kTxd) {  // A: an object in a register, x, y, the layer
    const unsigned first = given ? 0 : 1, next = request.layered ? 1 : 0;
    request.handle = given ? v.word(Role::kHandle) : a(0);
    for (unsigned d = 0; d < request.dimensions; ++d) request.coordinates[next + d] = a(first + d);
    if (request.layered) request.coordinates[0] = a(first + request.dimensions);
    return;
  }
  // Of all words half are in A, the odd one as well.
  constexpr unsigned kOwnLevel = 3;
  const unsigned others = (given ? 0 : 1) + (op.value(Modifier::kLevel) == kOwnLevel ? 1 : 0);
  const unsigned in_a = op.has(Modifier::kSources) ? (count + others + 1) / 2 : count;
  const auto word = [&](unsigned i) { return i < in_a ? a(i) : b(i - in_a); };
  for (unsigned i = 0; i < count; ++i) request.coordinates[i] = word(i);
  request.handle = given ? v.word(Role::kHandle) : word(count);
}

std::string fetch(Values& v, TextureSampler& sampler, TextureRequest& request) {
  const Op& op = v.op();
  const Opcode code = op.instruction.op;
  set_shape(op, false, request);
  set_place(v, request);
  request.what = code == Opcode::kTld4 ? TextureRequest::What::kGather : TextureRequest::What::kFetch;
  request.whole_numbers = code == Opcode::kTld;
  if (code == Opcode::kTld4) request.component = op.value(Modifier::kMode);
  const auto results = sampler.access(request);
  unsigned to = 0;
  for (unsigned c = 0; c < results.size(); ++c) {
    if ((op.find(Role::kMask)->value >> c & 1) == 0) continue;
    write_register(v.lane(), *op.find(to < 2 ? Role::kDst : Role::kDst2), to % 2, results[c]);
    ++to;
  }
  return {};
}

std::string surface(Values& v, TextureSampler& sampler, TextureRequest& request) {
  const Op& op = v.op();
  const bool stores = op.instruction.op == Opcode::kSust;
  constexpr std::array kOutside{TextureRequest::Outside::kZero, TextureRequest::Outside::kClamp,
                                TextureRequest::Outside::kTrap};
  request.what = stores ? TextureRequest::What::kStore : TextureRequest::What::kLoad;
  request.handle = v.word(Role::kHandle);
  request.outside = kOutside[op.value(Modifier::kOutside)];
  set_shape(op, true, request);
  const Operand& place = *op.find(Role::kA);
  // x, y, z; the layer is the last.
  for (unsigned d = 0; d < request.dimensions; ++d)
    request.coordinates[d + (request.layered ? 1 : 0)] = read_register(v.lane(), place, d);
  if (request.layered) request.coordinates[0] = read_register(v.lane(), place, request.dimensions);
  const unsigned size = op.value(Modifier::kSize), bytes = kBytes[size];
  std::array<std::uint32_t, 4> words{};
  const auto data = std::as_writable_bytes(std::span(words)).first(bytes);
  if (stores)
    for (unsigned i = 0; i < words.size() && 4 * i < bytes; ++i)
      words[i] = read_register(v.lane(), *op.find(Role::kData), i);
  (void)sampler.access(request, data);
  if (stores) return {};
  const bool is_signed = bytes < 4 && size % 2 == 1;
  if (is_signed && (words[0] >> (8 * bytes - 1) & 1) != 0) words[0] |= ~0u << (8 * bytes);
  for (unsigned i = 0; i < words.size() && 4 * i < bytes; ++i)
    write_register(v.lane(), *op.find(Role::kDst), i, words[i]);
  return {};
}

std::string query(Values& v, TextureSampler& sampler, TextureRequest& request) {
  const Op& op = v.op();
  request.what = TextureRequest::What::kQuery;
  request.handle = v.word(Role::kHandle);
  constexpr std::array kQueries{TextureRequest::Query::kWidth, TextureRequest::Query::kHeight,
                                TextureRequest::Query::kDepth};
  request.query = kQueries[static_cast<std::size_t>(
      std::countr_zero(static_cast<unsigned>(op.find(Role::kMask)->value)))];
  v.set(sampler.access(request)[0]);
  return {};
}

}  // namespace

bool is_texture(Opcode op) {
  return op == Opcode::kTex || op == Opcode::kTld || op == Opcode::kTld4 || op == Opcode::kTxd ||
         op == Opcode::kTxq || op == Opcode::kSuld || op == Opcode::kSust;
}

std::string unknown_texture(const Op& op) {
  const Operand* const resident = op.find(Role::kPd0);
  if (resident != nullptr && resident->number != sass::kPt) return "whether texels are resident";
  TextureRequest request;
  if (const Opcode code = op.instruction.op;
      code == Opcode::kTld || code == Opcode::kTld4 || code == Opcode::kTxd) {
    set_shape(op, false, request);
    const bool has = code == Opcode::kTld    ? !request.cube
                     : code == Opcode::kTld4 ? request.dimensions == 2 || request.cube
                                             : request.dimensions < 3;
    if (!has) return "a fetch of this shape";
    if (code == Opcode::kTxd && op.has(Modifier::kSources)) return "gradients with coordinates in B";
  }
  const unsigned mask =
      op.instruction.op == Opcode::kTxq ? static_cast<unsigned>(op.find(Role::kMask)->value) : 1;
  return mask == 1 || mask == 2 || mask == 4 ? "" : "several answers at once";
}

std::string access_texture(Values& v, MemoryAccess& access) {
  LaneMemory memory(access, v);
  TextureSampler sampler(memory);
  TextureRequest request;
  request.by_object = true;
  try {
    switch (v.op().instruction.op) {
      case Opcode::kSuld:
      case Opcode::kSust:
        return surface(v, sampler, request);
      case Opcode::kTxq:
        return query(v, sampler, request);
      default:
        return fetch(v, sampler, request);
    }
  } catch (const LaneMemory::Fault& fault) {
    return fault.why;
  }
}

}  // namespace heddle::oracle::machine_code
