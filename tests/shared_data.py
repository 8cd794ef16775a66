"""Finds the folder of motion-captured garments that several projects on this machine share."""

import os
from pathlib import Path

MISSING = "the shared test data is absent: put it at ../shared or name its folder in RUCKLE_SHARED"


def shared_folder() -> Path | None:
    """Return the folder of the shared data, from RUCKLE_SHARED or next to the repository; None if it is missing."""
    named = os.environ.get("RUCKLE_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    return folder if (folder / "data" / "sequences").is_dir() else None


def shared_files(pattern: str) -> list[Path]:
    """Return the shared files that match a glob pattern, sorted by name.

    The pattern is relative to the data folder. Without the data, the list is empty.
    """
    folder = shared_folder()
    return sorted((folder / "data").glob(pattern)) if folder else []


def sequence_files() -> list[Path]:
    """Return the files of the shared garment animations. The files of two static bodies are not included."""
    return [path for path in shared_files("sequences/*.npz") if not path.name.startswith("body_")]


def shared_cases(folder: str) -> Path:
    """Return a folder of shared input files that caused failures in the past. The folder may be missing."""
    return (shared_folder() or Path("absent")) / "cases" / folder
