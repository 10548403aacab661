// A waveform of heddle run --wave as text (VCD), for the cases of cli_rtl_cases.py: fst_to_vcd FILE.fst > FILE.vcd
#include <gtkwave/fstapi.h>

#include <cstdio>

int main(int count, char** words) {
  void* const file = count == 2 ? fstReaderOpen(words[1]) : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "fst_to_vcd: not an FST file\n");
    return 2;
  }
  fstReaderProcessHier(file, stdout);
  fstReaderSetFacProcessMaskAll(file);
  const int complete = fstReaderIterBlocks(file, nullptr, nullptr, stdout);
  fstReaderClose(file);
  return complete != 0 ? 0 : 1;
}
