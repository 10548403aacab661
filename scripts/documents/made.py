"""The tables and pictures that scripts/pages makes."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import command_line
import plots
import published_chart

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSED, HANGS = 0, 4  # exit codes of heddle run
SPIN_LOCK = ["spinlock", "--size", "tiny"]
CONTROL_FLOW = "core.control_flow."
SPIN_LOCK_ROWS = [  # settings below `core.`, and what to say of a run that does not end
    ([], ""),
    (["control_flow.mechanism=aware"], ": sides take turns, but the lock holder is blocked at the reconvergence point"),
    (["control_flow.mechanism=aware", "control_flow.timeout.cycles=1000"], ""),
    (["control_flow.mechanism=aware", "compiler=delayed_reconvergence"], ""),
    (["control_flow.mechanism=multi_path", "scoreboard.kind=per_thread_mask", "compiler=delayed_reconvergence"], ""),
    (["control_flow.mechanism=hanoi"], ""),
    (["compiler=ssde"], ""),
]


def run(heddle, arguments, folder):
    """(exit code, statistics) of a run."""
    done = subprocess.run([heddle, "run", *arguments, "--out", folder], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (PASSED, HANGS):
        raise command_line.InputError(f"heddle run {' '.join(arguments)}", f"exit code {done.returncode}: {done.stderr.strip()}")
    return done.returncode, json.loads((pathlib.Path(folder) / "stats.json").read_text())


def spin_lock(heddle):
    rows = ["| keys below `core.` | |", "|---|---|"]
    for settings, note in SPIN_LOCK_ROWS:
        with tempfile.TemporaryDirectory() as folder:
            flags = [word for setting in settings for word in ("--set", f"core.{setting}")]
            code, stats = run(heddle, [*SPIN_LOCK, *flags], pathlib.Path(folder) / "out")
        total = stats["total"]
        outcome = (f"{total['cycles']:,} cycles, SIMD efficiency {100 * total['simd_efficiency']:.1f} %" if code == PASSED else
                   f"deadlock, diagnosed{note}")
        rows.append(f"| {', '.join(f'`{setting}`' for setting in settings) or 'stack, the default'} | {outcome} |")
    return "\n".join(rows)


def spin_lock_timeline(heddle):
    """The first cycles of one warp, on three mechanisms."""
    settings = {"SIMT stack": [], "AWARE": [f"{CONTROL_FLOW}mechanism=aware", "core.compiler=delayed_reconvergence"],
                "Hanoi": [f"{CONTROL_FLOW}mechanism=hanoi"]}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, (title, keys) in enumerate(settings.items()):
            file = f"{folder}/{number}.json"
            files.append(f"{title}={file}")
            run(heddle, [*SPIN_LOCK, "--platform", "tiny", *(word for key in keys for word in ("--set", key)),
                         "--trace-timeline", file, "--trace-warp", "0:0"], f"{folder}/{number}")
        picture = pathlib.Path(folder) / "picture.svg"
        subprocess.run([sys.executable, ROOT / "scripts" / "timeline", *files, "-o", picture, "--cycles", ":4000"], check=True)
        return picture.read_text()


def published(heddle):
    del heddle
    return published_chart.chart(json.loads((ROOT / "scripts" / "reproduction" / "published.json").read_text()))


def cuda_functions(heddle):
    """The functions of the CUDA runtime that platforms/runtime has, and those that it refuses: from its sources."""
    del heddle
    rows = ["| | |", "|---|---|"]
    folder = ROOT / "platforms" / "runtime"
    for title, file in CUDA_FILES.items():
        names = sorted(set(re.findall(r"^HEDDLE_CUDA .*?\b(cuda\w+)\(", (folder / file).read_text(), re.MULTILINE)))
        rows.append(f"| {title} | {' '.join(f'`{name[4:]}`' for name in names)} |")
    refused = (folder / "api_refused.cpp").read_text()
    for instead, block in re.findall(r'^#define HEDDLE_INSTEAD (?:\\\n *)?"(.*?)"\n(.*?)^#undef', refused, re.MULTILINE | re.DOTALL):
        names = re.findall(r"^HEDDLE_REFUSE\((cuda\w+)\)", block, re.MULTILINE)
        rows.append(f"| refused: {instead} | {' '.join(f'`{name[4:]}`' for name in names)} |")
    return "\n".join(["Names are without `cuda`.", "", *rows])


def claims_pictures():
    """Of each page of scripts/reproduce that shows the picture of its claims."""
    pages = (page for page in sorted((ROOT / "models").rglob("*.md")) if f"({plots.picture_name(page)})" in page.read_text())
    return {str(page.with_name(plots.picture_name(page)).relative_to(ROOT)): lambda _, page=page: plots.picture(page.read_text()) for page in pages}


CUDA_FILES = {"memory": "api_memory.cpp", "copies and symbols": "api_copy.cpp", "launches, kernels, libraries": "api_launch.cpp",
              "arrays, textures, surfaces": "api_arrays.cpp", "streams and events": "api_streams.cpp", "graphs": "api_graphs.cpp", "device and errors": "api_device.cpp",
              "with other arguments than in toolkit 12": "api_of_13.cpp"}
TABLES = {"spin_lock": spin_lock, "cuda_functions": cuda_functions}
PICTURES = {"models/simt/pictures/spin-lock.svg": spin_lock_timeline, "models/published-and-ours.svg": published, **claims_pictures()}
