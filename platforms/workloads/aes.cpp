#include <array>
#include <bit>

#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::aes {

namespace {

// The reference works byte by byte according to FIPS 197, without the kernel's table.

std::uint8_t times(std::uint8_t a, std::uint8_t b) {  // in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1
  std::uint8_t product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = static_cast<std::uint8_t>(a << 1 ^ ((a & 0x80) != 0 ? 0x1b : 0));
  }
  return product;
}

std::uint8_t substitute(std::uint8_t a) {
  std::uint8_t inverse = 0;
  for (unsigned candidate = 1; candidate < 256 && inverse == 0; ++candidate)
    if (times(a, static_cast<std::uint8_t>(candidate)) == 1) inverse = static_cast<std::uint8_t>(candidate);
  std::uint8_t result = 0x63;
  for (int turn = 0; turn < 5; ++turn) result ^= std::rotl(inverse, turn);
  return result;
}

using Block = std::array<std::uint8_t, 16>;

class Aes {
 public:
  static constexpr std::size_t kRounds = 10;

  explicit Aes(const Block& key) {
    for (unsigned i = 0; i < 256; ++i) box_[i] = substitute(static_cast<std::uint8_t>(i));
    keys_[0] = key;
    std::uint8_t constant = 1;
    for (std::size_t round = 1; round <= kRounds; ++round, constant = times(constant, 2)) {
      const Block& last = keys_[round - 1];
      Block& next = keys_[round];
      for (std::size_t i = 0; i < 4; ++i)
        next[i] = static_cast<std::uint8_t>(last[i] ^ box_[last[12 + (i + 1) % 4]] ^ (i == 0 ? constant : 0));
      for (std::size_t i = 4; i < 16; ++i) next[i] = last[i] ^ next[i - 4];
    }
  }
  [[nodiscard]] Block encrypt(Block block) const {
    add(block, keys_[0]);
    for (std::size_t round = 1; round <= kRounds; ++round) {
      Block shifted;
      for (std::size_t i = 0; i < 16; ++i) shifted[i] = box_[block[(i + i % 4 * 4) % 16]];
      block = shifted;
      for (std::size_t column = 0; column < 16 && round < kRounds; column += 4)
        for (std::size_t i = 0; i < 4; ++i)
          block[column + i] = static_cast<std::uint8_t>(
              times(shifted[column + i], 2) ^ times(shifted[column + (i + 1) % 4], 3) ^
              shifted[column + (i + 2) % 4] ^ shifted[column + (i + 3) % 4]);
      add(block, keys_[round]);
    }
    return block;
  }
  [[nodiscard]] const Block& round_key(std::size_t round) const { return keys_[round]; }
  /// SubBytes and MixColumns combined, by column.
  [[nodiscard]] std::vector<std::uint32_t> table() const {
    std::vector<std::uint32_t> table;
    for (const std::uint8_t s : box_)
      table.push_back(std::uint32_t{times(s, 2)} << 24 | std::uint32_t{s} << 16 | std::uint32_t{s} << 8 |
                      times(s, 3));
    return table;
  }

 private:
  static void add(Block& block, const Block& key) {
    for (std::size_t i = 0; i < 16; ++i) block[i] ^= key[i];
  }

  std::array<std::uint8_t, 256> box_{};
  std::array<Block, kRounds + 1> keys_{};
};

void append_words(std::vector<std::uint32_t>& words, const Block& block) {
  for (std::size_t i = 0; i < 16; i += 4)
    words.push_back(std::uint32_t{block[i]} << 24 | std::uint32_t{block[i + 1]} << 16 |
                    std::uint32_t{block[i + 2]} << 8 | block[i + 3]);
}

struct Shape {
  std::uint32_t blocks, ctas, threads;
};

/// `kernel`: its last argument is a number of blocks, or of `units` of them.
Verdict encrypt(host::Device& device, const Options& options, const Shape& s, const std::string& kernel,
                std::uint32_t units) {
  // Starts with the example of FIPS 197, so that the reference itself is checked against the standard.
  const Aes example(
      {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f});
  const Block published{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                        0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  if (example.encrypt({0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
                       0xee, 0xff}) != published)
    return {false, "the reference does not encrypt the example of FIPS 197"};

  Random random(options.seed);
  const auto random_block = [&] {
    Block block;
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random.below(256));
    return block;
  };
  const Aes aes(random_block());
  std::vector<std::uint32_t> keys, in, expected;
  for (std::size_t round = 0; round <= Aes::kRounds; ++round) append_words(keys, aes.round_key(round));
  for (std::uint32_t i = 0; i < s.blocks; ++i) {
    const Block block = random_block();
    append_words(in, block);
    append_words(expected, aes.encrypt(block));
  }

  const auto module = device.load_ptx_file(module_path("aes", options));
  device.write(device.symbol(module, "aes_round_keys"), std::as_bytes(std::span(keys)));
  const auto table_d = device.upload(aes.table(), "table"), in_d = device.upload(in, "in");
  const auto out_d = device.allocate(in.size() * sizeof(std::uint32_t), "out");
  device.launch(module, kernel, grid(s.ctas, s.threads),
                host::Args().add(table_d).add(in_d).add(out_d).add(s.blocks * units));
  return compare("out", device.download<std::uint32_t>(out_d, in.size()), expected);
}

Verdict run(host::Device& device, const Options& options) {
  const Shape s = pick(options.size, Shape{250, 2, 96}, Shape{12'000, 30, 128}, Shape{262'144, 120, 256});
  return encrypt(device, options, s, "aes_encrypt", 1);
}

/// A thread a column.
Verdict run_columns(host::Device& device, const Options& options) {
  constexpr std::uint32_t kColumns = 4;
  const Shape s = pick(options.size, Shape{250, 11, 96}, Shape{16'448, 257, 256}, Shape{262'144, 4096, 256});
  return encrypt(device, options, s, "aes_encrypt_columns", kColumns);
}

}  // namespace

Workload aes() {
  return {.name = "aes",
          .description = "AES-128 encryption of independent blocks, by table",
          .stresses = "random shared-memory reads with bank conflicts, rotations, unrolled integer code",
          .source = "aes.cu",
          .run = run};
}

Workload aes_columns() {
  return {.name = "aes-columns",
          .description = "AES-128 encryption, a column of a block a thread (AES of ISPASS 2009)",
          .stresses = "a barrier a round, exchange through shared memory, random reads with bank conflicts",
          .source = "aes.cu",
          .run = run_columns};
}

}  // namespace heddle::workloads::aes
