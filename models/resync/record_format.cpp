#include "resync/record_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <regex>

#include "base/error.h"

namespace heddle::resync {
namespace {

static_assert(std::endian::native == std::endian::little, "records are copied as they are in memory");

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr std::size_t kFixedBytes = 8 + 8 + 3 + 4;
constexpr const char* kRemedy =
    "Give traces that heddle threads has written, or files of the published record format.";

template <class T>
T take(const std::byte*& from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

template <class T>
void put(std::vector<std::byte>& to, T value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

}  // namespace

std::uint64_t digest_of(std::span<const std::byte> registers) {
  std::uint64_t digest = 0x9e37'79b9'7f4a'7c15ull ^ registers.size();
  for (std::size_t i = 0; i < registers.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, registers.data() + i, std::min<std::size_t>(8, registers.size() - i));
    digest = (digest ^ word) * 0xff51'afd7'ed55'8ccdull;
    digest ^= digest >> 32;
  }
  return digest;
}

// ---- Writing

RecordWriter::RecordWriter(const std::filesystem::path& file)
    : name_(file.string()), file_(file, std::ios::binary) {
  if (!file_) throw base::InputError(name_, "cannot be written", "Choose a folder that can be written to.");
  buffer_.reserve(kBufferBytes + record::kMostBytes);
}

void RecordWriter::write(const TraceRecord& r, std::span<const std::byte> registers) {
  std::uint8_t flags = std::min<std::uint8_t>(r.addresses, kMaxAddresses);
  if (r.has(TraceRecord::kAfterBarrier)) flags |= record::kBarrier;
  if (r.has(TraceRecord::kBlockBegin)) flags |= record::kBlock;
  if (r.has(TraceRecord::kFunctionCall)) flags |= record::kCallMark;
  if (r.has(TraceRecord::kFunctionReturn)) flags |= record::kReturnMark;
  if (r.marks != nullptr) flags |= record::kMarks;
  registers = registers.first(std::min<std::size_t>(registers.size(), 255));
  put(buffer_, r.pc);
  put(buffer_, record::kStackTop - r.depth);
  put(buffer_, flags);
  put(buffer_, static_cast<std::uint8_t>(registers.size()));
  put(buffer_, r.control);
  put(buffer_, r.priority);
  if (r.marks != nullptr) {
    const auto ends = static_cast<std::uint8_t>(std::min<std::size_t>(r.marks->ends.size(), 255));
    put(buffer_, r.marks->begin == PostDominatorMarks::kNone ? 0 : r.marks->begin);
    put(buffer_, ends);
    for (std::size_t i = 0; i < ends; ++i) put(buffer_, r.marks->ends[i]);
  }
  for (unsigned i = 0; i < (flags & record::kAddresses); ++i) put(buffer_, r.address[i]);
  buffer_.insert(buffer_.end(), registers.begin(), registers.end());
  ++records_;
  if (buffer_.size() >= kBufferBytes) flush();
}

void RecordWriter::flush() {
  file_.write(reinterpret_cast<const char*>(buffer_.data()), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void RecordWriter::close() {
  flush();
  file_.close();
  if (!file_) throw base::InputError(name_, "could not be written completely", "Is there room on the disk?");
}

// ---- Reading

RecordTraces::RecordTraces(const std::vector<std::filesystem::path>& files) : files_(files.size()) {
  if (files.empty()) throw base::InputError("traces", "there are none", kRemedy);
  if (files.size() > kMaxThreads)
    throw base::InputError(files.front().parent_path().string(),
                           fmt::format("{} files are more than {} threads", files.size(), kMaxThreads),
                           "A set has one file per thread; put sets into folders of their own.");
  for (std::size_t i = 0; i < files.size(); ++i) {
    File& file = files_[i];
    file.name = files[i].string();
    file.stream.open(files[i], std::ios::binary);
    std::error_code error;
    file.bytes = std::filesystem::file_size(files[i], error);
    if (!file.stream || error) throw base::InputError(file.name, "cannot be read", kRemedy);
    file.buffer.resize(kBufferBytes);
  }
  if (std::all_of(files_.begin(), files_.end(), [](const File& file) { return file.bytes == 0; }))
    throw base::InputError(files_.size() == 1 ? files_.front().name : files.front().parent_path().string(),
                           "has no records", kRemedy);
}

void RecordTraces::rewind() {
  for (File& file : files_) {
    file.stream.clear();
    file.stream.seekg(0);
    file.next = file.end = 0;
    file.offset = 0;
  }
}

std::uint64_t RecordTraces::size_hint() const {
  std::uint64_t bytes = 0;
  for (const File& file : files_) bytes += file.bytes;
  return bytes / (kFixedBytes + 16);
}

void RecordTraces::refuse(const File& file, const std::string& what) {
  throw base::InputError(fmt::format("{}: byte {}", file.name, file.offset + file.next), what, kRemedy);
}

void RecordTraces::fill(File& file) {
  std::memmove(file.buffer.data(), file.buffer.data() + file.next, file.end - file.next);
  file.offset += file.next;
  file.end -= file.next;
  file.next = 0;
  file.stream.read(reinterpret_cast<char*>(file.buffer.data() + file.end),
                   static_cast<std::streamsize>(file.buffer.size() - file.end));
  file.end += static_cast<std::size_t>(file.stream.gcount());
}

const PostDominatorMarks* RecordTraces::keep(std::uint64_t pc, std::uint32_t begin,
                                             std::span<const std::byte> ends) {
  const PostDominatorMarks*& known = marks_at_.at(pc);
  if (known != nullptr && known->begin == begin && known->ends.size() * 4 == ends.size() &&
      std::memcmp(known->ends.data(), ends.data(), ends.size()) == 0)
    return known;
  std::vector<std::uint32_t> list(ends.size() / 4);
  std::memcpy(list.data(), ends.data(), ends.size());
  auto& kept = marks_[{begin, list}];
  if (!kept) kept = std::make_unique<PostDominatorMarks>(PostDominatorMarks{begin, list});
  return known = kept.get();
}

bool RecordTraces::parse(File& file, TraceRecord& r) {
  if (file.end - file.next < record::kMostBytes && file.offset + file.end < file.bytes) fill(file);
  const std::size_t left = file.end - file.next;
  if (left == 0) return false;
  if (left < kFixedBytes) refuse(file, "the last record is cut short");
  const std::byte* at = file.buffer.data() + file.next;
  r.pc = take<std::uint64_t>(at);
  r.depth = record::kStackTop - take<std::uint64_t>(at);
  const auto flags = take<std::uint8_t>(at);
  r.register_bytes = take<std::uint8_t>(at);
  r.control = take<std::uint8_t>(at);
  r.priority = take<std::uint32_t>(at);
  r.nesting = 0;
  r.flags =
      static_cast<std::uint8_t>(((flags & record::kBarrier) != 0 ? TraceRecord::kAfterBarrier : 0) |
                                ((flags & record::kBlock) != 0 ? TraceRecord::kBlockBegin : 0) |
                                ((flags & record::kCallMark) != 0 ? TraceRecord::kFunctionCall : 0) |
                                ((flags & record::kReturnMark) != 0 ? TraceRecord::kFunctionReturn : 0));
  r.addresses = flags & record::kAddresses;
  if (r.addresses > kMaxAddresses)
    refuse(file, fmt::format("a record with {} memory addresses; at most {} are possible", r.addresses,
                             kMaxAddresses));
  if ((r.control & 0x80) != 0) refuse(file, "a record with an unknown kind of control flow");
  std::size_t bytes = kFixedBytes;
  std::uint32_t begin = 0;
  std::size_t ends = 0;
  r.marks = nullptr;
  if ((flags & record::kMarks) != 0) {
    bytes += 5;
    if (left < bytes) refuse(file, "the last record is cut short");
    begin = take<std::uint32_t>(at);
    ends = take<std::uint8_t>(at);
    bytes += 4 * ends;
  }
  bytes += 8u * r.addresses + r.register_bytes;
  if (left < bytes) refuse(file, "the last record is cut short");
  if ((flags & record::kMarks) != 0) {
    r.marks = keep(r.pc, begin == 0 ? PostDominatorMarks::kNone : begin, {at, 4 * ends});
    at += 4 * ends;
  }
  for (unsigned i = 0; i < r.addresses; ++i) r.address[i] = take<std::uint64_t>(at);
  registers_.assign(at, at + r.register_bytes);
  r.operands = digest_of(registers_);
  file.next += bytes;
  return true;
}

std::size_t RecordTraces::read(unsigned thread, std::span<TraceRecord> records) {
  std::size_t n = 0;
  while (n < records.size() && parse(files_[thread], records[n])) ++n;
  return n;
}

// ---- Files

std::string trace_name(unsigned thread) { return fmt::format("thread{:02}{}", thread, kTraceExtension); }

bool is_trace_name(const std::string& name) {
  static const std::regex form("thread[0-9]{2,}\\.trace");
  return std::regex_match(name, form);
}

std::vector<std::vector<std::filesystem::path>> trace_sets(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::vector<std::vector<fs::path>> sets;
  const auto add = [&sets](const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == kTraceExtension)
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (!files.empty()) sets.push_back(std::move(files));
  };
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {{path}};
  if (!fs::is_directory(path, error))
    throw base::InputError(path.string(), "is neither a file nor a folder", kRemedy);
  add(path);
  std::vector<fs::path> folders;
  for (auto entry = fs::recursive_directory_iterator(path); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (!entry->is_directory()) continue;
    if (entry->path().filename().string().starts_with('.'))  // a recording that has not been completed
      entry.disable_recursion_pending();
    else
      folders.push_back(entry->path());
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) add(folder);
  if (sets.empty())
    throw base::InputError(path.string(), fmt::format("has no files *{}", kTraceExtension), kRemedy);
  return sets;
}

}  // namespace heddle::resync
