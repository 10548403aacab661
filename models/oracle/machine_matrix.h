// Matrix instructions: what the lanes of a warp that have met at one compute together, and loads and stores of fragments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "oracle/machine_memory.h"
#include "oracle/machine_operands.h"
#include "oracle/options.h"

namespace heddle::oracle {

/// A register of a lane's fragment (Matrix::place): its bits.
using ReadFragment = std::function<std::uint64_t(Matrix::Part, unsigned index, unsigned lane)>;
using WriteFragment = std::function<void(unsigned index, unsigned lane, std::uint64_t bits)>;
/// D := A x B + C with the extents and types of `matrix`. Everything is read before anything is written.
void multiply(const Matrix& matrix, const Options& options, const ReadFragment& read,
              const WriteFragment& write);

namespace mimd {

class Matrices {
 public:
  /// All of them outlive this.
  Matrices(const Operands& operands, Accesses& accesses, const Options& options)
      : operands_(operands), accesses_(accesses), options_(options) {}

  /// mma, wmma.mma, ldmatrix, stmatrix: all lanes of the warp have met at it.
  void execute(Cta& cta, std::size_t warp, const Step& step);
  /// wmma.load and .store, of one thread.
  void move(Cta& cta, Thread& thread, const Step& step) {
    step.kind == Kind::kMatrixLoad ? load(cta, thread, step) : store(cta, thread, step);
  }

 private:
  void load(Cta& cta, Thread& thread, const Step& step);
  void store(Cta& cta, Thread& thread, const Step& step);
  void multiply(Cta& cta, std::size_t warp, const Step& step);
  void load_rows(Cta& cta, std::size_t warp, const Step& step);
  void store_rows(Cta& cta, std::size_t warp, const Step& step);
  /// The thread's row lies in shared memory.
  void check_row(const Cta& cta, const Thread& thread, const Step& step) const;

  const Operands& operands_;
  Accesses& accesses_;
  const Options& options_;
};

}  // namespace mimd
}  // namespace heddle::oracle
