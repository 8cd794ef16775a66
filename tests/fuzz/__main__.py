"""Search readers for files that break them: `python -m fuzz --seconds 60`, from the folder of the tests.

The exit status is 1 if a case failed; the files of such cases are written to the folder `--finds`. The same seed tries
the same files.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import randrange

from fuzz.readers import READERS
from fuzz.search import MOST_BYTES, MOST_PEAK, MOST_SECONDS, MOST_WORK, Tally, search


def main() -> int:
    """Run the search with the options of the command line. Return 1 if a problem was found, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "readers",
        nargs="*",
        default=[*READERS],
        metavar="READER",
        help="readers to search; default: all of " + ", ".join(READERS),
    )
    parser.add_argument("--but", action="append", default=[], metavar="READER", help="reader to omit; may be repeated")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds for all readers together (default: 60)")
    parser.add_argument("--cases", type=int, help="number of files per reader; replaces --seconds")
    parser.add_argument("--jobs", type=int, default=1, help="number of readers that run at the same time (default: 1)")
    parser.add_argument("--seed", type=int, help="seed of the random changes; default: a new one in each run")
    parser.add_argument(
        "--finds", type=Path, default=Path("finds"), help="folder for files with problems (default: finds)"
    )
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else randrange(10**6)
    print(f"seed {seed}", flush=True)
    readers = [name for name in given.readers if name not in given.but]
    share = given.seconds * given.jobs / len(readers) if given.cases is None else 1e9
    with ThreadPoolExecutor(given.jobs) as pool:
        tallies = pool.map(lambda name: search(name, seed=seed, cases=given.cases, seconds=share), readers)
        found = [report(name, tally, given.finds) for name, tally in zip(readers, tallies, strict=True)]
    print(f"{sum(tally.cases for tally in found):,} files, {sum(len(tally.finds) for tally in found)} problems")
    print(
        f"limits per file: {MOST_SECONDS:g} s and {MOST_BYTES / 1e6:.0f} MB; {MOST_WORK:g} s and "
        f"{MOST_PEAK / 1e6:.0f} MB together with the processes of libraries"
    )
    return int(any(tally.finds for tally in found))


def report(name: str, tally: Tally, folder: Path) -> Tally:
    """Print one line for a reader and one for each problem, write the files with problems, and return the tally."""
    print(
        f"{name:8} {tally.cases:8,} files, {tally.refused:8,} rejected; slowest {tally.slowest:.2f} s, "
        f"largest {tally.largest / 1e6:.0f} MB",
        flush=True,
    )
    for find in tally.finds:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}_{find.number}{Path(READERS[name].name).suffix}"
        path.write_bytes(find.content)
        print(f"  {path}: {find.problem}", flush=True)
    return tally


if __name__ == "__main__":
    sys.exit(main())
