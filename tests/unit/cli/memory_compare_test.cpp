// Memories of two devices whose kernels have allocated blocks in different orders.
#include "cli/memory_compare.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

namespace heddle::cli::memory_compare_test {
namespace {

/// Memory without kernels: buffers lie one behind the other from a base, the heap at another one.
class Plain : public host::Device, public host::MemoryMap {
 public:
  explicit Plain(std::uint64_t base) : next_(base) {}
  std::uint64_t allocate(std::uint64_t bytes, const std::string&) override {
    const std::uint64_t address = next_;
    parts_[address].resize(bytes);
    next_ += bytes + 256;
    return address;
  }
  void free(std::uint64_t address) override { parts_.erase(address); }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    std::memcpy(at(address), bytes.data(), bytes.size());
  }
  void read(std::uint64_t address, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), at(address), bytes.size());
  }
  host::ModuleHandle load_module(std::span<const std::byte>, const std::string&) override { return 0; }
  void unload(host::ModuleHandle) override {}
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle, const std::string&) override {
    return nullptr;
  }
  std::uint64_t symbol(host::ModuleHandle, const std::string&) override { return 0; }
  void launch(host::ModuleHandle, const std::string&, const host::Launch&, const host::Args&) override {}
  [[nodiscard]] host::DeviceProperties properties() const override { return {}; }
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle) const override { return {}; }
  [[nodiscard]] std::vector<host::HeapBlock> heap_blocks() const override { return blocks_; }

  /// Blocks are adjacent, as those of an allocator may be; in ascending order.
  std::uint64_t block(std::uint64_t bytes) {
    const std::uint64_t address = blocks_.empty() ? kHeap : blocks_.back().address + blocks_.back().bytes;
    blocks_.push_back({address, bytes});
    parts_[address].resize(bytes);
    return address;
  }
  void store(std::uint64_t address, std::uint64_t value) {
    write(address, std::as_bytes(std::span(&value, 1)));
  }

 private:
  static constexpr std::uint64_t kHeap = 0x4000'0000;
  std::byte* at(std::uint64_t address) {
    const auto part = std::prev(parts_.upper_bound(address));
    return part->second.data() + (address - part->first);
  }
  std::uint64_t next_;
  std::map<std::uint64_t, std::vector<std::byte>> parts_;
  std::vector<host::HeapBlock> blocks_;
};

class MemoryCompare : public ::testing::Test {
 protected:
  /// A buffer `roots` of 64 bytes on both.
  void SetUp() override {
    here_root_ = here_.allocate(64, "roots");
    there_root_ = there_.allocate(64, "roots");
  }
  MemoryVerdict compare() { return compare_memories(here_, there_); }

  Plain gpu_{0x1000'0000}, oracle_{0x2000'0000};
  TrackedDevice here_{gpu_}, there_{oracle_};
  std::uint64_t here_root_ = 0, there_root_ = 0;
};

TEST_F(MemoryCompare, BlocksAreFollowedWhateverTheirOrder) {
  // A list of two nodes {next, value}; only the order of allocation differs.
  const std::uint64_t a1 = gpu_.block(16), b1 = gpu_.block(16);
  const std::uint64_t b2 = oracle_.block(16), a2 = oracle_.block(16);
  for (auto [device, root, a, b] :
       {std::tuple{&gpu_, here_root_, a1, b1}, std::tuple{&oracle_, there_root_, a2, b2}}) {
    device->store(root, a);
    device->store(root + 8, b + 16);  // its end
    device->store(a, b);
    device->store(a + 8, 5);
    device->store(b + 8, 6);
  }
  const MemoryVerdict verdict = compare();
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  EXPECT_EQ(verdict.summary,
            "1 buffer and 2 heap blocks, 96 bytes, are the same (3 addresses by what they point to)");
  oracle_.store(b2 + 8, 7);
  EXPECT_EQ(compare().summary, "byte 8 of heap block 1 (16 bytes) is 0x06, on the oracle it is 0x07");
}

TEST_F(MemoryCompare, OneBlockIsNotTwo) {
  const std::uint64_t a = gpu_.block(16);
  const std::uint64_t b = oracle_.block(16), c = oracle_.block(16);
  (void)gpu_.block(16);
  gpu_.store(here_root_, a);
  gpu_.store(here_root_ + 16, a);
  oracle_.store(there_root_, b);
  oracle_.store(there_root_ + 16, c);
  EXPECT_FALSE(compare().passed);
  oracle_.store(there_root_ + 16, b);
  EXPECT_TRUE(compare().passed) << compare().summary;
}

TEST_F(MemoryCompare, BlocksHaveASizeAndAddressesAnOffset) {
  const std::uint64_t small = gpu_.block(16), large = gpu_.block(24);
  const std::uint64_t large2 = oracle_.block(24), small2 = oracle_.block(16);
  gpu_.store(here_root_, small + 8);
  oracle_.store(there_root_, small2 + 8);
  EXPECT_TRUE(compare().passed) << compare().summary;
  oracle_.store(there_root_, small2);
  EXPECT_FALSE(compare().passed);
  oracle_.store(there_root_, large2 + 16);
  EXPECT_FALSE(compare().passed);
  gpu_.store(here_root_, large + 16);
  EXPECT_TRUE(compare().passed) << compare().summary;
}

TEST_F(MemoryCompare, EqualAddressesLeadToBlocksAsWell) {
  gpu_.store(here_root_, gpu_.block(8));
  oracle_.store(there_root_, oracle_.block(8));
  oracle_.store(0x4000'0000, 1);
  EXPECT_EQ(compare().summary, "byte 0 of heap block 0 (8 bytes) is 0x00, on the oracle it is 0x01");
}

}  // namespace
}  // namespace heddle::cli::memory_compare_test
