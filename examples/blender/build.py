# SPDX-License-Identifier: GPL-3.0-or-later
"""Pack the extension: a wheel of the C library for each platform, and the zip that Blender installs.

python examples/blender/build.py build/release/libruckle_c.so -o dist
python examples/blender/build.py linux-x64=libruckle_c.so macos-arm64=libruckle_c.dylib windows-x64=ruckle_c.dll -o dist
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "ruckle_wrinkles"

# Platform tags: Blender's name -> name in the file names of wheels.
PLATFORMS = {
    "linux-x64": "manylinux_2_28_x86_64",
    "macos-arm64": "macosx_11_0_arm64",
    "macos-x64": "macosx_11_0_x86_64",
    "windows-x64": "win_amd64",
    "windows-arm64": "win_arm64",
}

SAYS = '''"""The path of ruckle's C library."""

from pathlib import Path

PATH = str(Path(__file__).with_name("{name}"))
'''


def write_wheel(library: Path, platform: str, version: str, folder: Path) -> Path:
    """Write a wheel with the library in a package `ruckle_c`, whose `PATH` is the path of the library."""
    path = folder / f"ruckle_c-{version}-py3-none-{PLATFORMS[platform]}.whl"
    says = SAYS.format(name=library.name)
    tag = f"py3-none-{PLATFORMS[platform]}"
    info = f"ruckle_c-{version}.dist-info"
    files = {
        "ruckle_c/__init__.py": says.encode(),
        f"ruckle_c/{library.name}": library.read_bytes(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: ruckle-c\nVersion: {version}\nLicense: MIT\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: ruckle\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (files | {f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}).items():
            archive.writestr(name, content)
    return path


def write_extension(wheels: dict[str, Path], folder: Path) -> Path:
    """Write the zip with the add-on, its licence and the wheels. The manifest in the zip lists the wheels."""
    manifest = (FOLDER / "blender_manifest.toml").read_text(encoding="utf-8")
    names = [f"./wheels/{wheel.name}" for wheel in wheels.values()]
    # inserted before the first table, because later keys would belong to this table
    top, mark, rest = manifest.partition("[permissions]")
    manifest = f"{top}platforms = {[*wheels]}\nwheels = {names}\n\n{mark}{rest}"
    path = folder / f"ruckle_wrinkles-{tomllib.loads(manifest)['version']}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blender_manifest.toml", manifest)
        archive.write(HERE / "LICENSE", "LICENSE")
        for file in sorted(FOLDER.glob("*.py")):
            archive.write(file, file.name)
        for wheel in wheels.values():
            archive.write(wheel, f"wheels/{wheel.name}")
    return path


def validate(extension: Path) -> None:
    """Validate the extension with Blender's command. Print a note if Blender is missing or older than 4.2."""
    program = shutil.which("blender")
    if program is None:
        print(f"{extension}: not validated, because there is no program `blender`")
        return
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[1:2]
    if not version or tuple(map(int, version[0].split(".")[:2])) < (4, 2):
        print(f"{extension}: not validated, because {program} is older than Blender 4.2")
        return
    subprocess.run([program, "--command", "extension", "validate", str(extension)], check=True)


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main() -> None:
    """Pack the libraries given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "libraries",
        nargs="+",
        metavar="[PLATFORM=]LIBRARY",
        help=f"C library to pack, for one of the platforms {', '.join(PLATFORMS)}",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("dist"))
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    version = tomllib.loads((FOLDER / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    wheels = {}
    for word in given.libraries:
        platform, _, path = word.rpartition("=")
        wheels[platform or "linux-x64"] = write_wheel(Path(path), platform or "linux-x64", version, given.output)
    extension = write_extension(wheels, given.output)
    print(extension)
    validate(extension)


if __name__ == "__main__":
    main()
