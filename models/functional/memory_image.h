// Device memory as a launch without time sees it: pages that are fetched when they are first touched. What was written goes back
// in one go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>

namespace heddle::functional {

class MemoryImage {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  using Read = std::function<void(std::uint64_t address, std::span<std::byte> bytes)>;
  using Write = std::function<void(std::uint64_t address, std::span<const std::byte> bytes)>;

  /// `end`: there is no memory from this address on. What lies there reads as zero, and is never written.
  MemoryImage(Read read, Write write, std::uint64_t end)
      : read_(std::move(read)), write_(std::move(write)), end_(end) {}

  /// The byte at an address; those behind it up to the end of its page follow. Valid for the life of the image.
  [[nodiscard]] unsigned char* for_reading(std::uint64_t address) { return page(address).at(address); }
  [[nodiscard]] unsigned char* for_writing(std::uint64_t address) {
    Page& found = page(address);
    found.written = true;
    return found.at(address);
  }
  void read(std::uint64_t address, std::span<std::byte> bytes);
  /// Memory gets what was written.
  void write_back();

 private:
  struct Page {
    alignas(64) std::array<unsigned char, kPageBytes> bytes;
    bool written = false;

    [[nodiscard]] unsigned char* at(std::uint64_t address) { return &bytes[address % kPageBytes]; }
  };
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };
  static constexpr std::size_t kRecent = 1024;

  [[nodiscard]] Page& page(std::uint64_t address) {
    const std::uint64_t number = address / kPageBytes;
    const Recent& recent = recent_[number % kRecent];
    if (recent.number == number) [[likely]]
      return *recent.page;
    return look_up(number);
  }
  [[gnu::noinline]] Page& look_up(std::uint64_t number);
  /// Bytes of a page that are memory.
  [[nodiscard]] std::size_t bytes_of(std::uint64_t number) const;

  Read read_;
  Write write_;
  std::uint64_t end_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Recent, kRecent> recent_{};
};

}  // namespace heddle::functional
