// Ideal transactional memory, a yardstick ([KiloTM] §4.1): conflicts are found in no time. A transaction that
// commits writes its words at once and dooms all that have read one of them. Transactions of all cores; without SystemC.
//
// What is idealised: no logs, no messages, no commit units, sets without limit. What is kept: loads take the time of their
// words from L2, and what is doomed is executed up to its tx_commit (the thesis aborts it at once) and once more.
//
// With signatures it is the conflict detection of two designs that Kilo TM is compared with, in no time ([KiloTM] §4.1.1,
// §4.2.2): who has read a word is known by a Bloom signature of what each thread has read. Signature HTM looks up the words
// that a commit writes in it; RingSTM's ring holds only a signature of what the commit writes, which is intersected with it,
// or in which a thread looks up the words that it has read.
//
// Writes may also take their way to L2 (tm.ideal.writes=stores). Which attempts commit is decided in no time all the same, so what
// reads such a word before L2 has it must get its new value: on_its_way(). And packets of two commits may come to L2 in either
// order: each gets the newest value when it is there, arrives().
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

  /// `write`: where the words of who commits go, in no time; not called with IdealWrites::kStores.
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

  // ---- writes that take their way to L2 ----

  /// Bytes of a word that have been committed, the newest ones.
  struct Bytes {
    std::uint32_t value = 0;
    std::uint8_t which = 0;  ///< bit per byte
  };
  /// Of a word that L2 may not have yet; none: it has.
  [[nodiscard]] std::optional<Bytes> on_its_way(std::uint64_t word) const;
  /// A packet leaves with the word.
  void leaves(std::uint64_t word) { ++late_.at(word).left; }
  /// Everything that the owner has committed is in packets that have left or will.
  void packed(Owner owner);
  /// A packet is about to go to L2: the word's value there.
  [[nodiscard]] std::uint32_t value(std::uint64_t word) const { return late_.at(word).bytes.value; }
  /// L2 has taken it: reads from now on find it there.
  void arrives(std::uint64_t word);
  /// L2 has everything.
  [[nodiscard]] bool all_arrived() const { return late_.empty(); }

 private:
  struct Attempt {
    bool doomed = false;
    bool stale = false;  ///< somebody has written what it had read
    Cid committed = 0;
    std::vector<std::uint64_t> reads;
    std::map<std::uint64_t, std::uint8_t> writes;  ///< by byte
    Signature signature;                           ///< of `reads`
    std::optional<std::size_t> reader;             ///< where it is in active_, if it has read
  };
  struct Late {
    Bytes bytes;
    std::uint32_t left = 0;  ///< packets with it, and commits that have not been packed
  };
  Attempt& of(Owner owner);
  void forget_reads(Owner owner);
  void decide(Owner owner);
  void doom_by_signature(const std::vector<std::uint64_t>& written);
  void come_late(const std::vector<std::uint64_t>& written, const Attempt& attempt);

  Write write_;
  IdealConflicts conflicts_;
  IdealWrites writes_;
  SignatureShape shape_;
  std::vector<Owner> active_;  ///< have read; with signatures only
  std::vector<Attempt> attempts_;
  std::unordered_map<std::uint64_t, Late> late_;                   ///< by word
  std::unordered_map<std::uint64_t, std::vector<Owner>> readers_;  ///< of words, by attempts under way
  std::vector<Owner> asked_;                                       ///< in cycle asked_at_
  base::Cycle asked_at_ = 0;
  Cid next_ = kFirstCid;
};

}  // namespace heddle::tm
