// Traces in files of the published tool's record format ([mmt-sync]): one file per thread, little-endian, one
// record per executed instruction:
//   PC 8 B, SP 8 B, flags 1 B, register bytes 1 B, control flow 1 B, block priority 4 B,
//   with flag kMarks: id of the branch 4 B, number of ends 1 B, their ids 4 B each,
//   memory addresses 8 B each, contents of the registers read.
// SP is (2^64 - 1024) - depth. Ids of branches are not 0, which stands for none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "resync/pc_table.h"
#include "resync/trace.h"

namespace heddle::resync {

namespace record {
inline constexpr std::uint64_t kStackTop =
    ~std::uint64_t{0} - 1023;  ///< SP of a thread that has no stack in use
inline constexpr std::uint8_t kBarrier = 0x80, kBlock = 0x40, kCallMark = 0x20, kReturnMark = 0x10,
                              kMarks = 0x08, kAddresses = 0x07;
inline constexpr std::size_t kMostBytes = 8 + 8 + 3 + 4 + 5 + 4 * 255 + 8 * kMaxAddresses + 255;
/// Distance of the threads' stacks in rebased addresses.
inline constexpr std::uint64_t kStackSpacing = std::uint64_t{1} << 23;
}  // namespace record

/// Equal bytes have equal digests.
[[nodiscard]] std::uint64_t digest_of(std::span<const std::byte> registers);

/// Writes one thread's file.
class RecordWriter {
 public:
  /// Throws base::InputError if the file cannot be made.
  explicit RecordWriter(const std::filesystem::path& file);
  /// `registers`: the contents of all registers read, at most 255 bytes.
  void write(const TraceRecord& record, std::span<const std::byte> registers);
  /// Throws base::InputError if not everything could be written.
  void close();
  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  void flush();
  std::string name_;
  std::ofstream file_;
  std::vector<std::byte> buffer_;
  std::uint64_t records_ = 0;
};

/// Reads a set of files, thread 0 first.
class RecordTraces final : public TraceSet {
 public:
  /// Throws base::InputError if there is none, more than kMaxThreads, or one cannot be read. So does read() at a record
  /// that is cut short or impossible, naming the file and the byte.
  explicit RecordTraces(const std::vector<std::filesystem::path>& files);
  [[nodiscard]] unsigned threads() const override { return static_cast<unsigned>(files_.size()); }
  std::size_t read(unsigned thread, std::span<TraceRecord> records) override;
  void rewind() override;
  [[nodiscard]] std::uint64_t size_hint() const override;
  /// Registers of the record that read() gave last, of a call with one record.
  [[nodiscard]] std::span<const std::byte> registers() const { return registers_; }

 private:
  struct File {
    std::string name;
    std::ifstream stream;
    std::uint64_t bytes = 0;  ///< of the file
    std::vector<std::byte> buffer;
    std::size_t next = 0, end = 0;  ///< unread part of the buffer
    std::uint64_t offset = 0;       ///< of buffer[0] in the file
  };
  /// False: the file is at its end.
  bool parse(File& file, TraceRecord& record);
  void fill(File& file);
  [[noreturn]] static void refuse(const File& file, const std::string& what);
  /// One object for equal marks.
  const PostDominatorMarks* keep(std::uint64_t pc, std::uint32_t begin, std::span<const std::byte> ends);

  std::vector<File> files_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::unique_ptr<PostDominatorMarks>> marks_;
  PcTable<const PostDominatorMarks*> marks_at_;
  std::vector<std::byte> registers_;
};

/// The traces in a folder, in the order of their names; of a file: itself. Sets are folders: if `path` has subfolders with
/// traces, each of them is one, but for hidden ones. Throws base::InputError if there are none.
[[nodiscard]] std::vector<std::vector<std::filesystem::path>> trace_sets(const std::filesystem::path& path);
inline constexpr const char* kTraceExtension = ".trace";
/// "thread03.trace"
[[nodiscard]] std::string trace_name(unsigned thread);
[[nodiscard]] bool is_trace_name(const std::string& name);

}  // namespace heddle::resync
