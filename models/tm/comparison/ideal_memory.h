// Ideal transactional memory, a yardstick (tbc-and-kilotm §4.1, M9): conflicts are found in no time. A transaction that
// commits writes its words at once and dooms all that have read one of them. Transactions of all cores; without SystemC.
//
// What is idealised: no logs, no messages, no commit units, sets without limit. What is kept: loads take the time of their
// words from L2, and what is doomed is executed up to its tx_commit (the thesis aborts it at once) and once more.
//
// With signatures it is the conflict detection of two designs that Kilo TM is compared with, in no time (§8): who has read a
// word is known by a Bloom signature of what each thread has read. Signature HTM looks up the words that a commit writes in
// it; RingSTM intersects it with the signature of what the commit writes, which is all that its ring holds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "tm/commit_id.h"
#include "tm/comparison/signature.h"
#include "tm/config.h"

namespace heddle::tm {

class IdealMemory {
 public:
  /// A thread slot of the GPU.
  using Owner = std::uint32_t;
  using Write = std::function<void(std::uint64_t address, std::span<const std::uint8_t> bytes)>;

  /// `write`: where the words of who commits go, in no time.
  explicit IdealMemory(Write write, const IdealConfig& config = {}, std::uint64_t hash_seed = 0);

  /// Another attempt: nothing has been read or written.
  void begin(Owner owner);
  /// The word at `address` is about to be read: who writes it from now on dooms the attempt.
  void read(Owner owner, std::uint64_t word);
  /// `count` bytes from `address` on, within a word; `value` as the word holds them.
  void write(Owner owner, std::uint64_t address, std::uint32_t value, unsigned count);
  /// A byte that the attempt has written itself.
  [[nodiscard]] bool own(Owner owner, std::uint64_t address, unsigned char& byte) const;
  /// The attempt is over: it commits, or fails because it has read what has changed since. Decided when the cycle is over, in
  /// the order of owners, so that the order in which cores are looked at does not matter.
  void ask(Owner owner, base::Cycle cycle);
  /// What was asked before `cycle` is decided.
  void advance(base::Cycle cycle);
  /// The id of the last attempt if it has committed, 0 if it has failed. The order of ids is that of the commits.
  [[nodiscard]] Cid outcome(Owner owner) const { return attempts_[owner].committed; }
  /// The last attempt has failed though nobody has written what it had read: signatures said so.
  [[nodiscard]] bool failed_falsely(Owner owner) const {
    return attempts_[owner].committed == 0 && !attempts_[owner].stale;
  }

 private:
  struct Attempt {
    bool doomed = false;
    bool stale = false;  ///< somebody has written what it had read
    Cid committed = 0;
    std::vector<std::uint64_t> reads;
    std::map<std::uint64_t, std::uint8_t> writes;  ///< by byte
    Signature signature;                           ///< of `reads`
    std::size_t reader = 0;                        ///< where it is in active_, if it has read
  };
  Attempt& of(Owner owner);
  void forget_reads(Owner owner);
  void decide(Owner owner);
  void doom_by_signature(const std::vector<std::uint64_t>& written);

  Write write_;
  IdealConflicts conflicts_;
  SignatureShape shape_;
  std::vector<Owner> active_;  ///< have read; with signatures only
  std::vector<Attempt> attempts_;
  std::unordered_map<std::uint64_t, std::vector<Owner>> readers_;  ///< of words, by attempts under way
  std::vector<Owner> asked_;                                       ///< in cycle asked_at_
  base::Cycle asked_at_ = 0;
  Cid next_ = kFirstCid;
};

}  // namespace heddle::tm
