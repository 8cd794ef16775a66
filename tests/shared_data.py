"""The folder of the shared motion-captured garments on this machine."""

import os
from pathlib import Path

MISSING = "the shared test data is absent: put it at ../shared or name its folder in RUCKLE_SHARED"


def shared_folder() -> Path | None:
    """Return the folder of the shared data; None if it is missing."""
    named = os.environ.get("RUCKLE_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    return folder if (folder / "data" / "sequences").is_dir() else None


def shared_files(pattern: str) -> list[Path]:
    """Return the shared files that match `pattern` (relative to the data folder), sorted by name."""
    folder = shared_folder()
    return sorted((folder / "data").glob(pattern)) if folder else []


def sequence_files() -> list[Path]:
    """Return the files of the shared garment animations, without the two static bodies."""
    return [path for path in shared_files("sequences/*.npz") if not path.name.startswith("body_")]


def shared_cases(folder: str) -> Path:
    """Return the folder of shared inputs that failed in the past. The folder may be missing."""
    return (shared_folder() or Path("absent")) / "cases" / folder
