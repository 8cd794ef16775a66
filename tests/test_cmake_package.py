"""The CMake package of the C++ library: its error messages for projects that cannot use the package."""

import shutil
import subprocess
from pathlib import Path

import pytest

from program import PATIENCE

CONFIGURATION = Path(__file__).parents[1] / "cpp" / "ruckleConfig.cmake.in"

# the macros of @PACKAGE_INIT@ that the package calls; CMake inserts them when it installs a package
MACROS = """
macro(check_required_components)
endmacro()
macro(set_and_check)
endmacro()
"""

PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(user LANGUAGES NONE)
find_package(ruckle REQUIRED {components})
"""


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
@pytest.mark.parametrize("components", ["", "COMPONENTS c"])
def test_reject_projects_without_eigen_in_one_sentence(tmp_path: Path, components: str) -> None:
    package = CONFIGURATION.read_text().replace("@PACKAGE_INIT@", MACROS)
    (tmp_path / "ruckleConfig.cmake").write_text(package)
    (tmp_path / "ruckleCTargets.cmake").write_text("")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(components=components))
    command = [
        "cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), f"-Druckle_DIR={tmp_path}",
        "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON",
    ]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    said = " ".join(ended.stderr.split())
    if components:
        # a project that uses only the C library does not need Eigen
        assert ended.returncode == 0, said
    else:
        assert ended.returncode != 0
        assert "the headers of ruckle::ruckle need Eigen 3.4 or newer, which was not found; install it" in said
        assert "Eigen3Config.cmake" not in said
