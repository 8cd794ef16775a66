"""Damages files: random changes of bytes, and changes that follow the format, so that a reader's first checks pass."""

import io
import json
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

import numpy as np

__all__ = ["LARGEST", "mutated"]

# Largest size of a damaged file in bytes, because larger files could exceed the time limit of a case.
LARGEST = 1_000_000

NUMBERS: tuple[Any, ...] = (
    -1, 0, 1, 2, 3, 7, 127, 128, 255, 256, 4095, 65535, 65536, 1_000_000, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63,
    10**30, -(2**31), 0.5, -0.0, 1e-40, 1e-7, 1e7, 3.4e38, 1e39, 1e308, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
WORDS: tuple[Any, ...] = (None, True, False, "", "x", "a/b", "data:,", "a\x00b", "\ud800", "é" * 300, [], {}, [0], [[]])
LAYOUTS = ("<B", "<H", ">H", "<I", ">I", "<i", ">i", "<Q", "<f", ">f", "<d")


def mutated(content: bytes, suffix: str, others: list[bytes], random: Random) -> bytes:
    """Return a damaged copy of a file.

    `suffix` selects changes that follow the format. `others` are valid files of the same format, whose parts may be
    inserted.
    """
    ways = (changed_bytes, moved_pieces, changed_numbers, spliced)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        way = random.choice(ways)
        # in half of all cases, choose a change that follows the format
        way = random.choice((way, GRAMMARS.get(suffix, way)))
        try:
            content = way(content, others, random)[:LARGEST]
        except Exception:
            # a change before can make the content impossible to parse; then change only bytes
            content = changed_bytes(content, others, random)
    return content


Way = Callable[[bytes, list[bytes], Random], bytes]


def changed_bytes(content: bytes, _: list[bytes], random: Random) -> bytes:
    """Return the content with some bytes replaced."""
    damaged = bytearray(content or b"\0")
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        place = random.randrange(len(damaged))
        damaged[place] = random.choice((0, 255, 127, 128, 10, 92, 95, damaged[place] ^ 1 << random.randrange(8)))
    return bytes(damaged)


def moved_pieces(content: bytes, _: list[bytes], random: Random) -> bytes:
    """Return the content truncated, or with a piece that is removed, repeated or moved."""
    start, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
    piece, place = content[start:end], random.randrange(len(content) + 1)
    match random.randrange(4):
        case 0:
            return content[:end]
        case 1:
            return content[:start] + content[end:]
        case 2:
            return content[:place] + copies(piece, random.choice((1, 2, 50, 5000))) + content[place:]
        case _:
            return content[:place] + piece + content[place + len(piece) :]


Pieces = TypeVar("Pieces", bytes, list[Any])


def copies(piece: Pieces, count: int, size: int = 0) -> Pieces:
    """Return a piece repeated `count` times, or fewer times if the result exceeds LARGEST.

    `size` is the number of bytes of one piece in the file; by default, the length of the piece.
    """
    return piece * min(count, LARGEST // max(1, size or len(piece)))


def changed_numbers(content: bytes, _: list[bytes], random: Random) -> bytes:
    """Return the content with some bytes replaced by special numbers, such as the limits of a type."""
    damaged = bytearray(content)
    for _ in range(random.choice((1, 1, 3))):
        number = packed(random.choice(LAYOUTS), random.choice(NUMBERS))
        place = random.randrange(max(1, len(damaged) - len(number) + 1))
        damaged[place : place + len(number)] = number
    return bytes(damaged)


def packed(layout: str, number: float) -> bytes:
    """Return a number as bytes in a layout of `struct`. If the type cannot represent the number, all bits are set."""
    try:
        return struct.pack(layout, number if layout[1] in "fd" else int(number))
    except (struct.error, OverflowError, ValueError):
        return b"\xff" * struct.calcsize(layout)


def spliced(content: bytes, others: list[bytes], random: Random) -> bytes:
    """Return the start of a file followed by the end of another file."""
    other = random.choice(others) if others else content
    return content[: random.randrange(len(content) + 1)] + other[random.randrange(len(other) + 1) :]


def changed_tree(root: Any, random: Random) -> Any:
    """Change some values, keys and lists of a JSON value in place.

    Return the value, or its replacement if it is a leaf.
    """
    for _ in range(random.choice((1, 1, 2, 4))):
        holder, key = chosen(root, random)
        if holder is None:
            return random.choice(WORDS)
        value = holder[key]
        match random.randrange(9):
            case 0 | 1:
                holder[key] = random.choice(NUMBERS)
            case 2:
                holder[key] = random.choice(WORDS)
            case 3 if isinstance(holder, dict):
                del holder[key]
            case 4 if isinstance(value, int) and not isinstance(value, bool):
                # a slightly different index or count, which can cause cycles and overlaps
                holder[key] = value + random.choice((-1, 1, -4, 4, random.randrange(16)))
            case 5 if isinstance(value, list) and value:
                holder[key] = copies(value, random.choice((2, 30, 3000)), len(json.dumps(value)))
            case 6 if isinstance(value, list) and value:
                value.append(random.choice(value))
            case 7:
                holder[key] = nested(random.choice((2, 200, 5000)))
            case _:
                other, place = chosen(root, random)
                holder[key] = json.loads(json.dumps(other[place])) if other is not None else value
    return root


def chosen(root: Any, random: Random) -> tuple[Any, Any]:
    """Return the container and the key of a random value in a JSON tree; (None, None) if the tree is a single leaf."""
    holder, key, target = None, None, root
    while isinstance(target, (dict, list)) and target:
        holder, key = target, random.choice(list(target)) if isinstance(target, dict) else random.randrange(len(target))
        target = target[key]
        if random.random() < 0.15:
            break
    return holder, key


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(min(depth, 900)):
        value = [value]
    return value


def changed_json(content: bytes, _: list[bytes], random: Random) -> bytes:
    """Return a JSON document with some values changed."""
    text = json.dumps(changed_tree(json.loads(content), random))
    if random.random() < 0.02:
        # deeper than Python's JSON writer can write
        text = text.replace("0", "[" * 20_000 + "]" * 20_000, 1)
    return text.encode("utf-8", "surrogatepass")


def changed_lines(content: bytes, others: list[bytes], random: Random) -> bytes:
    """Return a file of JSON lines with one line changed."""
    lines = content.splitlines()
    place = random.randrange(len(lines))
    lines[place] = changed_json(lines[place], others, random)
    return b"\n".join(lines) + random.choice((b"\n", b""))


def changed_glb(content: bytes, others: list[bytes], random: Random) -> bytes:
    """Return a GLB file with a changed JSON part. In most cases, the lengths of its chunks are correct."""
    size = struct.unpack_from("<I", content, 12)[0]
    rest = content[20 + size :]
    text = changed_json(content[20 : 20 + size], others, random)
    text += b" " * (-len(text) % 4)
    length = 20 + len(text) + len(rest) + random.choice((0,) * 9 + (4,))
    return struct.pack("<4sIIII", b"glTF", 2, length, len(text), 0x4E4F534A) + text + rest


PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
SHAPES = ("()", "(0,)", "(3,)", "(1, 3)", "(2, 3, 3)", "(1000000000,)", "(4294967296, 3)", "(-1, 3)", "(65536, 65536)",
          "(2, 3, 0)", "None", "(1,) * 9", "(((((", "[2]", "(2.0,)")  # fmt: skip
TYPES = ("'<f4'", "'>f4'", "'<f8'", "'<f2'", "'<f16'", "'|O'", "'|S5'", "'<U7'", "'|b1'", "'<i8'", "'|u1'", "'<c8'",
         "'V3'", "[('a', '<f4')]", "'<M8'", "'?'", "3")  # fmt: skip


def changed_archive(content: bytes, others: list[bytes], random: Random) -> bytes:
    """Return an NPZ file in which a member is changed, added or removed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    place = random.randrange(len(members))
    name, array = members[place]
    match random.randrange(8):
        case 0:
            del members[place]
        case 1:
            members.append(random.choice(members))
        case 2:
            members[place] = (random.choice((random.choice(members)[0], "a\x00.npy", "../a.npy", "faces.npy")), array)
        case 3:
            members[place] = (name, changed_bytes(array, others, random))
        case 4:
            members[place] = (name, moved_pieces(array, others, random))
        case 5:
            # a large array of zeros is small in the archive
            members[place] = (name, zeros(random.choice((10**4, 10**5, 10**6, 10**6, 3 * 10**7))))
        case 6:
            members[place] = (name, saved(random))
        case _:
            members[place] = (name, changed_header(array, random))
    stream = io.BytesIO()
    # zipfile warns if two members have the same name
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", random.choice(PACKINGS), compresslevel=1) as archive:
        warnings.simplefilter("ignore")
        for name, array in members:
            archive.writestr(name, array)
    return stream.getvalue()


def changed_header(array: bytes, random: Random) -> bytes:
    """Return an NPY file whose header has another type, shape, order or length."""
    size = int.from_bytes(array[8:10], "little")
    if random.random() < 0.25:
        length = random.choice((0, 1, 9_999, 2**31, 2**32 - 1))
        return b"\x93NUMPY\x02\x00" + length.to_bytes(4, "little") + array[10:]
    key, values = random.choice(
        (("shape", SHAPES), ("descr", TYPES), ("fortran_order", ("True", "0", "None", "[]" * 50)))
    )
    header = array[10 : 10 + size].decode("latin-1")
    text = re.sub(rf"('{key}': ).*?(, '|, }})", rf"\g<1>{random.choice(values)}\g<2>", header).encode("latin-1")
    return b"\x93NUMPY\x01\x00" + (len(text) % 65536).to_bytes(2, "little") + text + array[10 + size :]


def zeros(size: int) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (size // 12, 1, 3)})
    return stream.getvalue() + bytes(size)


def saved(random: Random) -> bytes:
    """Return an NPY file of special numbers, with a random type and a small shape."""
    shape = random.choice(((), (1,), (0, 3), (2, 3), (3, 3, 3), (2, 4, 3), (4, 3), (6, 1)))
    with np.errstate(all="ignore"):
        array = np.array([float(random.choice(NUMBERS)) for _ in range(int(np.prod(shape)))]).reshape(shape)
        kind = random.choice(("<f4", "<f8", ">f4", "<f2", "<i4", "<i8", "<u4", "|u1", "|b1"))
        stream = io.BytesIO()
        np.save(stream, array.astype(kind))
    return stream.getvalue()


TOKENS = (b"[", b"]", b"{", b"}", b"=", b"(0,0,0),", b"None", b"@./other.usda@", b"@../a.usda@", b"</set>",
          b"0", b"-1", b"1", b"2", b"99", b"-99", b"1e400", b"nan", b"1_0", b"1/1", b"1//", b"//", b"-1/-1/-1", b"\\",
          b"#", b"\xc2\xb2", b"9" * 5000, b"0x10", b"", b"1" * 19)  # fmt: skip


def changed_words(content: bytes, _: list[bytes], random: Random) -> bytes:
    """Return a text with some words and lines changed."""
    lines = content.split(b"\n")
    for _ in range(random.choice((1, 1, 3, 10))):
        place = random.randrange(len(lines))
        words = lines[place].split(b" ")
        match random.randrange(6):
            case 0 | 1:
                words[random.randrange(len(words))] = random.choice(TOKENS)
            case 2:
                words = copies(words, random.choice((2, 50, 20_000)), len(lines[place]))
            case 3:
                words = [random.choice((b"v", b"f", b"vt", b"vn", b"#", b"\tf", b"v\\", b"f\\")), *words[1:]]
            case 4:
                line = random.choice(lines)
                lines[place:place] = copies([line], random.choice((1, 3, 2000)), len(line))
            case _:
                words = words[: random.randrange(len(words) + 1)]
        lines[place] = b" ".join(words)
    return random.choice((b"\n", b"\n", b"\r\n", b"\r")).join(lines)


STAGE_PARTS = {
    r"-?\d+(?:\.\d+)?": ("0", "-1", "1e30", "nan", "inf", "-inf", "2147483647", "4294967296", "1e-40", "0.5", "99"),
    r"<[^>\n]*>": ("</set>", "</copy>", "</>", "</nowhere>", "<.>", "</hero/shirt.points>", "</set{look=a}shirt>"),
    r"@[^@\n]*@": (
        "@./a.usda@",
        "@./other.usda@",
        "@../a.usda@",
        "@/etc/passwd@",
        "@http://a/b.usda@",
        "@./a.usdz[b]@",
    ),
    r'"[^"\n]*"': ('"set"', '"vertex"', '"uniform"', '"leftHanded"', '"proxy"', '"invisible"', '""'),
    r"\b\w+(?=\[\] )": ("int", "float", "double", "string", "token", "half", "point3f", "int64", "quatf", "matrix4d"),
    r"\b(?:Mesh|Xform|SkelRoot|Skeleton|SkelAnimation|BlendShape)\b": ("Mesh", "Xform", "PointInstancer", "SkelRoot"),
    r"\[[^][]*\]": ("[]", "[0]", "None", "[1, 1, 1]", "[(0, 0, 0)]", "[(nan, inf, 0)]", "[1e39]", '["a"]'),
}


def changed_stage(content: bytes, _: list[bytes], random: Random) -> bytes:
    """Return a USD text in which some parts are replaced by other parts of the same kind."""
    text = content.decode("latin-1")
    for _ in range(random.choice((1, 1, 2, 5))):
        kind = random.choice([*STAGE_PARTS])
        parts = [*re.finditer(kind, text)]
        if parts:
            part, other = random.choice(parts), random.choice(parts)
            new = random.choice((*STAGE_PARTS[kind], other[0], other[0]))
            text = text[: part.start()] + new + text[part.end() :]
    return text.encode("latin-1")


GRAMMARS: dict[str, Way] = {
    ".npz": changed_archive,
    ".glb": changed_glb,
    ".gltf": changed_json,
    ".json": changed_json,
    ".jsonl": changed_lines,
    ".obj": changed_words,
    ".toml": changed_words,
    ".usda": changed_stage,
}
