"""The separate process that reads USD files: files that it may not open, crashes, later files, and its end."""

import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import FormatError, load
from ruckle.io import library_process
from ruckle.io.budget import OverBudgetError
from shared_data import shared_cases

pytest.importorskip("pxr", reason='USD needs usd-core: pip install "ruckle[usd]"')

CASES = shared_cases("attack")

MESH = """def Mesh "m"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
}
"""

ON_UNIX = pytest.mark.skipif(os.name != "posix", reason="needs signals and limits of Unix")

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports that a process sleeps")


def written(path: Path, *prims: str, head: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#usda 1.0\n({head})\n" + "\n".join(prims))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder. A file outside of this folder must not be read by files in it."""
    written(tmp_path / "outside" / "secret.usda", MESH)
    (tmp_path / "inside").mkdir()
    return tmp_path / "inside"


OUTSIDE = "is not in the folder of the file"
VARIANT = """def "v" (variants = {{ string look = "plain" }}
prepend variantSets = "look")
{{
    variantSet "look" = {{
        "plain" {{
        }}
        "other" (references = {0}) {{
        }}
    }}
}}
"""
CLIPS = """def "c" (clips = {{ dictionary default = {{
    {0}
    string primPath = "/m"
    double2[] active = [(0, 0)]
    double2[] times = [(0, 0)]
}} }}) {{
}}
"""
ARCS = {
    "sublayer": "",
    "reference": 'def "r" (references = {0}</m>) {{\n}}\n',
    "payload": 'def "p" (payload = {0}</m>) {{\n}}\n',
    "variant": VARIANT,
    "clip": CLIPS.replace("{0}", "asset[] assetPaths = [{0}]"),
    "manifest": CLIPS.replace("{0}", "asset manifestAssetPath = {0}"),
}


@pytest.mark.parametrize("arc", ARCS)
@pytest.mark.parametrize("asset", ["@../outside/secret.usda@", "@link.usda@", "@sub/../../outside/secret.usda@"])
def test_usd_reject_layers_outside_the_folder(folder: Path, arc: str, asset: str) -> None:
    (folder / "link.usda").symlink_to(folder.parent / "outside" / "secret.usda")
    head = f"subLayers = [{asset}]" if arc == "sublayer" else ""
    path = written(folder / "a.usda", ARCS[arc].format(asset), MESH, head=head)
    with pytest.raises(FormatError, match=OUTSIDE):
        load(path)
    # a layer in a subfolder may not open the file either
    (folder / "below").mkdir()
    path.rename(folder / "below" / "a.usda")
    (folder / "below" / "link.usda").symlink_to(folder.parent / "outside" / "secret.usda")
    deep = asset.replace("@../", "@../../").replace("/../../", "/../../../")
    (folder / "below" / "a.usda").write_text((folder / "below" / "a.usda").read_text().replace(asset, deep))
    with pytest.raises(FormatError, match=OUTSIDE):
        load(written(folder / "b.usda", head="subLayers = [@below/a.usda@]"))


@pytest.mark.parametrize(
    ("asset", "sentence"),
    [
        ("@https://example.com/a.usda@", OUTSIDE),
        ("@/etc/passwd@", OUTSIDE),
        ("@../gone/a.usda@", OUTSIDE),
        ("@../outside/pack.usdz[a.usda]@", OUTSIDE),
        ("@../outside/secret.usda:SDF_FORMAT_ARGS:a=b@", OUTSIDE),
        ('@`"../outside/secret.usda"`@', "an expression; expressions are not supported"),
        pytest.param("@pipe.usda@", "is not a regular file", marks=ON_UNIX),
        ("@folder.usda@", "cannot be read"),
        ("@broken.usda@", "is not a readable USD file"),
        pytest.param("@loop.usda@", "usable path|cannot be read", marks=ON_UNIX),
        pytest.param(f"@{'a/' * 3000}b.usda@", r"which is not a usable path \(File name too long\)", marks=ON_UNIX),
    ],
)
def test_usd_reject_layers(folder: Path, asset: str, sentence: str) -> None:
    if os.name == "posix":
        os.mkfifo(folder / "pipe.usda")
        (folder / "loop.usda").symlink_to("loop.usda")
    (folder / "folder.usda").mkdir()
    (folder / "broken.usda").write_text("#usda 1.0\n(")
    with pytest.raises(FormatError, match=sentence):
        load(written(folder / "a.usda", f'def "r" (references = {asset}) {{\n}}\n', MESH))


def test_usd_reject_numbered_clips_outside_the_folder(folder: Path) -> None:
    template = (
        'string templateAssetPath = "{0}/clip.#.usda"\ndouble templateStartTime = 1\ndouble templateEndTime = 2\n'
    )
    template += "double templateStride = 1\n    string primPath"
    text = CLIPS.replace("{0}\n    string primPath", template)
    with pytest.raises(FormatError, match=OUTSIDE):
        load(written(folder / "a.usda", text.format("../outside"), MESH))
    (folder / "clip.1.usda").symlink_to(folder.parent / "outside" / "secret.usda")
    with pytest.raises(FormatError, match=OUTSIDE):
        load(written(folder / "a.usda", text.format("."), MESH))
    (folder / "clip.1.usda").unlink()
    written(folder / "clip.1.usda", MESH)
    assert load(written(folder / "a.usda", text.format("."), MESH)).name == "m"


def test_usd_degenerate_layers_that_are_left_out(folder: Path) -> None:
    arcs = [f'def "x{asset[1]}" (references = {asset}) {{\n}}\n' for asset in ("@gone.usda@", "@materials.mtlx@")]
    (folder / "materials.mtlx").write_text("<materialx/>")
    with pytest.warns(UserWarning, match=r"left out 'gone.usda', 'materials.mtlx', which do not exist or are not USD"):
        assert load(written(folder / "a.usda", *arcs, MESH)).name == "m"


def test_usd_exact_value_clips_in_the_folder(folder: Path) -> None:
    moved = MESH.replace("points = [(0", "points.timeSamples = { 0: [(0").replace(
        "0)]", "0)], 1: [(5, 0, 0), (1, 0, 0), (0, 1, 0)] }", 1
    )
    written(folder / "sub" / "clip.usda", moved)
    clips = CLIPS.format("asset[] assetPaths = [@./sub/clip.usda@]").replace('def "c"', 'over "m"')
    clips = clips.replace("[(0, 0)]\n} }", "[(0, 0), (1, 1)]\n} }")
    still = written(folder / "still.usda", MESH)
    found = load(
        written(folder / "a.usda", clips, head=f"subLayers = [@{still.name}@]\nstartTimeCode = 0\nendTimeCode = 1")
    )
    np.testing.assert_array_equal(found.positions[:, 0, 0], [0, 5])


def test_usd_reject_a_stage_that_grows_without_bound(folder: Path) -> None:
    levels = [
        f'def "r{level}" {{\n'
        + "".join(f'def "c{k}" (references = </r{level + 1}>) {{\n}}\n' for k in range(10))
        + "}\n"
        for level in range(9)
    ]
    path = written(folder / "a.usda", *levels, 'def "r9" {\n' + MESH + "}\n")
    before = time.monotonic()
    with pytest.raises(OverBudgetError, match="allow a larger budget"):
        load(path)
    assert time.monotonic() - before < 60.0
    assert load(written(folder / "b.usda", MESH)).name == "m"


def test_usd_reject_more_frames_than_floats(folder: Path) -> None:
    points = "[(0, 0, 0), (1, 0, 0), (0, 1, 0)]"
    written(folder / "b.usda", MESH.replace(f"points = {points}", f"points.timeSamples = {{1: {points}, 2: {points}}}"))
    for start, end in ((0, "1e300"), ("-1e300", 0)):
        head = f"subLayers = [@b.usda@ (scale = 1e-300)]\nstartTimeCode = {start}\nendTimeCode = {end}"
        with pytest.raises(OverBudgetError, match=r"a\.usda: .* frames: would take .* of memory"):
            load(written(folder / "a.usda", head=head))


CHILD = """
import os, signal, sys
sys.stdout.write("{}\\n")
sys.stdout.flush()
sys.stdin.readline()
"""


@ON_UNIX
@pytest.mark.parametrize(
    ("ending", "sentence", "kind"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", r"is damaged, and ends the process that reads USD \(SIGSEGV\)", None),
        ("os.kill(os.getpid(), signal.SIGKILL)", r"is damaged, and ends the process that reads USD \(SIGKILL\)", None),
        ("os.kill(os.getpid(), signal.SIGABRT)", "is damaged, or needs more than", OverBudgetError),
        ("os.kill(os.getpid(), signal.SIGXCPU)", "takes more than 0.2 s to read", OverBudgetError),
        (
            "signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()",
            "takes more than 0.2 s to read",
            OverBudgetError,
        ),
        pytest.param("signal.pause()", "takes more than 0.2 s to read", OverBudgetError, marks=ON_LINUX),
        ("os._exit(77)", "is damaged, or needs more than 16 MB of memory", OverBudgetError),
        ("os._exit(3)", r"is damaged, and ends the process that reads USD \(exit status 3\)", None),
        ("print('nonsense', flush=True); sys.stdin.read()", "is damaged, and ends the process that reads USD", None),
    ],
)
def test_usd_reject_files_that_end_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, sentence: str, kind: type[FormatError] | None
) -> None:
    path = written(tmp_path / "a.usda", MESH)
    (tmp_path / "child.py").write_text(CHILD + ending)
    library_process.end_processes()
    with monkeypatch.context() as patch:
        patch.setattr(library_process, "CHILD", tmp_path / "child.py")
        with pytest.raises(FormatError, match=sentence) as found:
            load(path, budget=0.1)
        assert kind is None or type(found.value) is kind
        assert "\n" not in str(found.value)
    assert load(path).name == "m"


@ON_UNIX
def test_usd_property_a_process_that_an_earlier_file_has_damaged_is_replaced(tmp_path: Path) -> None:
    path = written(tmp_path / "a.usda", MESH)
    first = load(path)
    library_process.process_id(library_process.USD) and os.kill(library_process.process_id(library_process.USD), 9)
    np.testing.assert_array_equal(load(path).positions, first.positions)


@ON_UNIX
def test_usd_property_one_process_reads_all_files(tmp_path: Path) -> None:
    path = written(tmp_path / "a.usda", MESH)
    load(path)
    number = library_process.process_id(library_process.USD)
    for _ in range(5):
        load(path)
        with pytest.raises(FormatError):
            load(written(tmp_path / "b.usda", "("))
        ruckle.describe(path)
    assert library_process.process_id(library_process.USD) == number


def moved(codes: list[float], counts: dict[float, int] | None = None) -> str:
    """Return a mesh whose points have moved by the time code at each code, with fewer points at codes in `counts`."""
    shapes = {code: [(code, 0, 0), (1, 0, 0), (0, 1, 0)][: (counts or {}).get(code, 3)] for code in codes}
    at = ", ".join(f"{code:g}: {shape}" for code, shape in shapes.items())
    return MESH.replace("points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]", f"points.timeSamples = {{ {at} }}")


STAGES = {
    "one frame": ("", MESH, [0.0]),
    "whole codes": ("", moved([1, 2, 3]), [1.0, 2.0, 3.0]),
    "half codes": ("", moved([1, 1.5, 2]), [1.0, 1.5, 2.0]),
    "codes with gaps": ("", moved([3, 5]), [3.0, 4.0, 5.0]),
    "later samples": ("startTimeCode = 0\nendTimeCode = 4\n", moved([2, 3, 4]), [2.0, 2.0, 2.0, 3.0, 4.0]),
    "quarter codes": ("startTimeCode = 0\nendTimeCode = 2\n", moved([0.25, 1.25, 2.25]), [0.25, 1.25]),
    "many frames": ("startTimeCode = 0\nendTimeCode = 1999\n", MESH, [0.0] * 2000),
}


@pytest.mark.parametrize("name", STAGES)
def test_usd_exact_small_files_give_what_large_files_give(tmp_path: Path, name: str) -> None:
    # a small file is read with one request
    head, mesh, expected = STAGES[name]
    small = load(written(tmp_path / "a.usda", mesh, head=head))
    large = load(written(tmp_path / "b.usda", mesh, f"# {'long ' * 20_000}", head=head))
    np.testing.assert_array_equal(small.positions, large.positions)
    np.testing.assert_array_equal(small.faces, large.faces)
    assert small.positions[:, 0, 0].tolist() == expected


@pytest.mark.parametrize(
    ("mesh", "options", "message"),
    [
        (MESH, {"mesh": "n"}, "has no mesh 'n', only /m"),
        (moved([1, 2, 3], {2: 2}), {}, "/m has 2 points at time code 2, and 3 first"),
        (MESH.replace("int[] faceVertexCounts = [3]", ""), {}, "has 0 corners, but 3 vertex indices"),
        (MESH.replace("faceVertexCounts = [3]", "faceVertexCounts.timeSamples = {1: [3], 2: [4]}"), {}, "topology"),
    ],
)
def test_usd_reject_small_files_before_their_answers_are_read(
    tmp_path: Path, mesh: str, options: dict[str, Any], message: str
) -> None:
    path, sound = written(tmp_path / "a.usda", mesh), written(tmp_path / "b.usda", moved([1, 2]))
    load(sound)
    number = library_process.process_id(library_process.USD)
    for _ in range(3):
        with pytest.raises(FormatError, match=message):
            load(path, **options)
        # the answers that nobody has read are skipped
        assert load(sound).positions[:, 0, 0].tolist() == [1.0, 2.0]
    assert library_process.process_id(library_process.USD) == number


def test_usd_property_threads(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"a{k}.usda", MESH.replace("(1, 0", f"({k + 1}, 0")) for k in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: float(load(paths[k % 8]).positions[0, 1, 0]), range(40)))
    assert found == [k % 8 + 1.0 for k in range(40)]


@ON_UNIX
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_usd_property_other_processes_have_their_own(tmp_path: Path, method: str) -> None:
    path = written(tmp_path / "a.usda", MESH)
    load(path)
    number = library_process.process_id(library_process.USD)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(vertex_count, [path] * 6) == [3] * 6
        assert number not in pool.map(own_process, [path] * 4)
    assert load(path).vertex_count == 3
    assert library_process.process_id(library_process.USD) == number


def vertex_count(path: Path) -> int:
    return load(path).vertex_count


def own_process(path: Path) -> int | None:
    load(path)
    return library_process.process_id(library_process.USD)


@ON_UNIX
@pytest.mark.parametrize(
    "ending", ["", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "raise SystemExit(3)"]
)
def test_usd_property_no_process_remains(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / "a.usda", MESH)
    program = f"import ruckle; from ruckle.io import library_process; ruckle.load({str(path)!r})\n"
    program += f"print(library_process.process_id(library_process.USD), flush=True)\n{ending}"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert not is_running(int(done.stdout))


def is_running(number: int) -> bool:
    for _ in range(100):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


@ON_UNIX
def test_usd_property_no_zombie_remains(tmp_path: Path) -> None:
    load(written(tmp_path / "a.usda", MESH))
    number = library_process.process_id(library_process.USD)
    library_process.end_processes()
    assert library_process.process_id(library_process.USD) is None
    with pytest.raises(ChildProcessError):
        os.waitpid(number, os.WNOHANG)


def test_usd_exact_an_interrupt_leaves_no_answer_for_the_next_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = written(tmp_path / "a.usda", MESH), written(tmp_path / "b.usda", MESH.replace('"m"', '"other"'))
    load(path)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(library_process.LibraryProcess, "_fill", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load(path)
    assert load(other).name == "other"


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not there")
@pytest.mark.parametrize("name", ["crash.usdc", "intbomb.usda", "payload_dotdot.usda", "st_short.usda"])
def test_usd_reject_shared_cases(tmp_path: Path, name: str) -> None:
    written(tmp_path / "outside" / "secret.usda", MESH)
    (tmp_path / "inside").mkdir()
    with pytest.raises(FormatError, match=name):
        load(shutil.copy(CASES / name, tmp_path / "inside"))
