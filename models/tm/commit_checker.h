// The obligations of the protocol ([KiloTM] §5.3, Claims 1 to 6) as assertions over all commit units of a GPU. X and Y are
// commit ids, X before Y:
//   1  at a unit, X's write of a word is issued before the read that decides about Y
//   2  X's write of a word is issued before Y's
//   3  X's final outcome comes before X's writes          4  all local outcomes of X come before its final outcome
//   5  all reads of X at a unit come before its outcome there
//   6  at a unit that has words of X, X's final outcome comes before Y's writes
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tm/commit_unit_model.h"

namespace heddle::tm {

class CommitChecker {
 public:
  explicit CommitChecker(std::uint32_t partitions) : units_(partitions) {}
  [[nodiscard]] std::unique_ptr<CommitObserver> of_unit(std::uint32_t partition);
  [[nodiscard]] std::uint64_t checked() const { return checked_; }

 private:
  friend class UnitChecker;
  struct Read {
    bool outstanding = false;
    Cid last_write = 0;  ///< issued to the word before it
  };
  struct Transaction {
    bool outcome = false, final = false, pass = false;
    bool stale = false;                   ///< somebody older wrote a word that it had read and decided about
    std::map<std::uint64_t, Read> reads;  ///< the latest by word
    std::uint32_t reading = 0;
  };
  struct Unit {
    std::map<Cid, Transaction> live;
    std::map<std::uint64_t, Cid> writer;  ///< by word: the last that has written it
  };
  std::vector<Unit> units_;
  std::uint64_t checked_ = 0;
};

}  // namespace heddle::tm
