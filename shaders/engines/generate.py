"""Write the normals of wrinkle waves in GLSL, GLSL ES, WGSL, HLSL and Godot's language, from shaders/common.

python3 shaders/engines/generate.py

Reads the part of GLSL that these functions use: structs, constants, functions, loops, `if`, `?:` and expressions.
The uniform `wave_profile` becomes the last argument of functions that need it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
COMMON = FOLDER.parent / "common"
# file, and the declarations to read from it, in order
SOURCES = {
    "height_sample.glsl": ("HeightSample", "raised_normal"),
    "waves.glsl": ("FINE_RATIO", "WaveCorner", "wave_sample"),
    "wave_normal.glsl": ("wave_normal",),
}
UNIFORM = "wave_profile"
TOKEN = re.compile(r"\d+\.\d*|\d+|[A-Za-z_]\w*|\+=|-=|\*=|/=|\+\+|==|!=|<=|>=|&&|\|\||[-+*/<>=!?:;,.(){}\[\]]")
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/"))

Node = tuple[Any, ...]


class Reader:
    """Reads declarations as nodes: tuples whose first element is the kind."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"//[^\n]*|^#[^\n]*", "", text, flags=re.M)
        self.tokens = [*TOKEN.findall(text), ""]
        self.at = 0

    def take(self, expected: str = "") -> str:
        token: str = self.tokens[self.at]
        if expected and token != expected:
            raise ValueError(f"shader: expected {expected!r}, got {token!r} after {self.tokens[self.at - 5 : self.at]}")
        self.at += 1
        return token

    def skip(self, token: str) -> bool:
        found: bool = self.tokens[self.at] == token
        self.at += found
        return found

    def declarations(self) -> list[Node]:
        found: list[Node] = []
        while self.tokens[self.at]:
            if self.skip("struct"):
                name, fields = self.take(), []
                self.take("{")
                while not self.skip("}"):
                    fields.append(self.variable())
                    self.take(";")
                self.take(";")
                found.append(("struct", name, fields))
            elif self.tokens[self.at] in ("uniform", "const"):
                kind, type_name = self.take(), self.take()
                while True:
                    name = self.take()
                    value = self.expression() if self.skip("=") else None
                    if kind == "const":
                        found.append(("const", name, type_name, value))
                    if not self.skip(","):
                        break
                self.take(";")
            else:
                type_name, name, parameters = self.take(), self.take(), []
                self.take("(")
                while not self.skip(")"):
                    parameters.append(self.variable())
                    self.skip(",")
                found.append(("function", name, type_name, parameters, self.block()))
        return found

    def variable(self) -> Node:
        type_name, name, size = self.take(), self.take(), ""
        if self.skip("["):
            size = self.take()
            self.take("]")
        return type_name, name, size

    def block(self) -> list[Node]:
        self.take("{")
        found = []
        while not self.skip("}"):
            found += self.statement()
        return found

    def statement(self) -> list[Node]:
        self.skip("precise")
        token = self.tokens[self.at]
        if token == "for":
            self.at += 1
            self.take("("), self.take("int")
            name = self.take()
            self.take("=")
            first = self.expression()
            self.take(";"), self.take(name), self.take("<")
            last = self.expression()
            self.take(";"), self.take("++"), self.take(name), self.take(")")
            return [("for", name, first, last, self.block())]
        if self.skip("if"):
            self.take("(")
            condition = self.expression()
            self.take(")")
            return [("if", condition, self.block())]
        if self.skip("return"):
            value = self.expression()
            self.take(";")
            return [("return", value)]
        if re.fullmatch(r"[A-Za-z_]\w*", self.tokens[self.at + 1]):
            type_name, found = self.take(), []
            while True:
                name, size = self.take(), ""
                if self.skip("["):
                    size = self.take()
                    self.take("]")
                found.append(("let", type_name, name, size, self.expression() if self.skip("=") else None))
                if not self.skip(","):
                    break
            self.take(";")
            return found
        target = self.expression()
        operator, value = self.take(), self.expression()
        self.take(";")
        return [("set", target, operator, value)]

    def expression(self) -> Node:
        condition = self.binary(0)
        if not self.skip("?"):
            return condition
        yes = self.expression()
        self.take(":")
        return ("choose", condition, yes, self.expression())

    def binary(self, level: int) -> Node:
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.tokens[self.at] in LEVELS[level]:
            left = ("binary", self.take(), left, self.binary(level + 1))
        return left

    def unary(self) -> Node:
        if self.skip("-"):
            return ("minus", self.unary())
        if self.skip("("):
            found: Node = ("group", self.expression())
            self.take(")")
        else:
            found = ("name", self.take())
        while True:
            if self.skip("."):
                found = ("member", found, self.take())
            elif self.skip("["):
                found = ("at", found, self.expression())
                self.take("]")
            elif self.skip("("):
                arguments = []
                while not self.skip(")"):
                    arguments.append(self.expression())
                    self.skip(",")
                found = ("call", found[1], arguments)
            else:
                return found


def uses(node: Any, names: set[str]) -> bool:
    """Return True if a node contains one of these names."""
    if isinstance(node, (tuple, list)):
        return any(uses(part, names) for part in node)
    return node in names


class Glsl:
    """Writes nodes as GLSL; subclasses override the differences of other languages."""

    types: dict[str, str] = {}
    constant = "const {type} {name} = {value};"

    def __init__(self, declarations: list[Node]) -> None:
        self.declarations = declarations
        self.structs = {node[1] for node in declarations if node[0] == "struct"}
        # functions that read the uniform, directly or through a call
        needing: set[str] = {UNIFORM}
        for node in declarations:
            if node[0] == "function" and uses(node[4], needing):
                needing.add(node[1])
        self.needing = needing - {UNIFORM}

    def text(self) -> str:
        return "\n\n".join(self.declaration(node) for node in self.declarations) + "\n"

    def type_of(self, name: str, size: str = "") -> str:
        return self.types.get(name, name)

    def variable(self, type_name: str, name: str, size: str) -> str:
        return f"{self.type_of(type_name)} {name}" + (f"[{size}]" if size else "")

    def declaration(self, node: Node) -> str:
        if node[0] == "struct":
            return self.struct(node[1], node[2])
        if node[0] == "const":
            return self.constant.format(type=self.type_of(node[2]), name=node[1], value=self.expression(node[3]))
        _, name, result, parameters, body = node
        if name in self.needing:
            parameters = [*parameters, ("vec4", UNIFORM, "")]
        return "\n".join(
            [self.head(name, result, parameters), *self.prologue(parameters, body), *self.block(body), "}"]
        )

    def struct(self, name: str, fields: list[Node]) -> str:
        return "\n".join([f"struct {name} {{", *(f"    {self.variable(*field)};" for field in fields), "};"])

    def head(self, name: str, result: str, parameters: list[Node]) -> str:
        return f"{self.type_of(result)} {name}({', '.join(self.variable(*one) for one in parameters)}) {{"

    def prologue(self, parameters: list[Node], body: list[Node]) -> list[str]:
        return []

    def block(self, body: list[Node]) -> list[str]:
        return ["    " + line for node in body for line in self.statement(node)]

    def statement(self, node: Node) -> list[str]:
        match node:
            case ("for", name, first, last, body):
                return [self.loop(name, self.expression(first), self.expression(last)), *self.block(body), "}"]
            case ("if", condition, body):
                return [f"if ({self.expression(condition)}) {{", *self.block(body), "}"]
            case ("return", value):
                return [f"return {self.expression(value)};"]
            case ("let", type_name, name, size, value):
                return [self.local(type_name, name, size, None if value is None else self.expression(value))]
            case ("set", target, operator, value):
                return [f"{self.expression(target)} {operator} {self.expression(value)};"]
        raise ValueError(f"shader: no statement {node}")

    def loop(self, name: str, first: str, last: str) -> str:
        return f"for (int {name} = {first}; {name} < {last}; ++{name}) {{"

    def local(self, type_name: str, name: str, size: str, value: str | None) -> str:
        return self.variable(type_name, name, size) + (f" = {value};" if value else ";")

    def expression(self, node: Node) -> str:
        match node:
            case ("name", name):
                return str(name)
            case ("group", inner):
                return f"({self.expression(inner)})"
            case ("minus", inner):
                return f"-{self.expression(inner)}"
            case ("binary", operator, left, right):
                return f"{self.expression(left)} {operator} {self.expression(right)}"
            case ("member", inner, name):
                return f"{self.expression(inner)}.{name}"
            case ("at", inner, index):
                return f"{self.expression(inner)}[{self.expression(index)}]"
            case ("choose", condition, yes, no):
                return self.choose(*map(self.expression, (condition, yes, no)))
            case ("call", name, arguments):
                given = [self.expression(argument) for argument in arguments]
                return self.call(name, [*given, UNIFORM] if name in self.needing else given)
        raise ValueError(f"shader: no expression {node}")

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"{condition} ? {yes} : {no}"

    def call(self, name: str, arguments: list[str]) -> str:
        return f"{self.type_of(name)}({', '.join(arguments)})"


class Hlsl(Glsl):
    types = {"vec2": "float2", "vec3": "float3", "vec4": "float4"}
    constant = "static const {type} {name} = {value};"

    def struct(self, name: str, fields: list[Node]) -> str:
        # HLSL lacks constructors of structs
        given = ", ".join(self.variable(*field) for field in fields)
        sets = [f"    made.{field[1]} = {field[1]};" for field in fields]
        maker = [f"{name} make_{name}({given}) {{", f"    {name} made;", *sets, "    return made;", "}"]
        return super().struct(name, fields) + "\n\n" + "\n".join(maker)

    def call(self, name: str, arguments: list[str]) -> str:
        if name in self.structs:
            return f"make_{name}({', '.join(arguments)})"
        if name in self.types and len(arguments) == 1:
            arguments *= int(name[-1])
        return super().call(name, arguments)


class Wgsl(Glsl):
    types = {"float": "f32", "int": "i32", "vec2": "vec2f", "vec3": "vec3f", "vec4": "vec4f", "uvec4": "vec4u"}
    names = {"uintBitsToFloat": "bitcast<f32>", "unpackHalf2x16": "unpack2x16float"}
    constant = "const {name}: {type} = {value};"

    def variable(self, type_name: str, name: str, size: str) -> str:
        kind = self.type_of(type_name)
        return f"{name}: " + (f"array<{kind}, {size}>" if size else kind)

    def struct(self, name: str, fields: list[Node]) -> str:
        return "\n".join([f"struct {name} {{", *(f"    {self.variable(*field)}," for field in fields), "}"])

    def head(self, name: str, result: str, parameters: list[Node]) -> str:
        # parameters are constants, and only array variables can be indexed with a variable
        given = ", ".join(self.variable(kind, name + "_in" * bool(size), size) for kind, name, size in parameters)
        return f"fn {name}({given}) -> {self.type_of(result)} {{"

    def prologue(self, parameters: list[Node], body: list[Node]) -> list[str]:
        return [f"    var {name} = {name}_in;" for _, name, size in parameters if size]

    def loop(self, name: str, first: str, last: str) -> str:
        return f"for (var {name} = {first}; {name} < {last}; {name}++) {{"

    def local(self, type_name: str, name: str, size: str, value: str | None) -> str:
        return f"var {self.variable(type_name, name, size)}" + (f" = {value};" if value else ";")

    def call(self, name: str, arguments: list[str]) -> str:
        return super().call(self.names.get(name, name), arguments)

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"select({no}, {yes}, {condition})"


# file: language, comment about its use
TARGETS: dict[str, tuple[Callable[[list[Node]], Glsl], str]] = {
    "wave_normal.glsl": (Glsl, "GLSL 3.30 and newer: append it to a fragment shader."),
    "wave_normal.es.glsl": (Glsl, "GLSL ES 3.00 and newer, with highp floats."),
    "wave_normal.wgsl": (Wgsl, "WGSL, for WebGPU."),
    "wave_normal.hlsl": (Hlsl, "HLSL, for Unity, Unreal and Direct3D."),
    "wave_normal.gdshaderinc": (Glsl, "Godot 4: #include it in a spatial shader."),
}


def sources(wanted: dict[str, tuple[str, ...]] = SOURCES) -> list[Node]:
    """Return the wanted declarations of files in shaders/common."""
    found = []
    for file, names in wanted.items():
        # only the named part is read: other functions use more of GLSL
        text = (COMMON / file).read_text(encoding="utf-8")
        for name in names:
            part = re.search(
                rf"^(struct {name} \{{.*?^\}};|const [^\n]*\b{name} = .*?;|\w+ {name}\(.*?^\}})", text, re.M | re.S
            )
            if part is None:
                raise ValueError(f"{file}: {name} is missing")
            found += Reader(part[1]).declarations()
    return found


def generated() -> dict[str, str]:
    """Return the text of each file by name."""
    nodes = sources()
    head = (
        "// wave_normal: normals of wrinkle waves per pixel. Generated from shaders/common by engines/generate.py.\n"
        "// {comment}\n"
        "//\n"
        "// corners      waves of the triangle's corners: covector, amplitude, phases (ruckle_garment_write_waves)\n"
        "// rest, now    positions of the corners at rest and in this frame\n"
        "// barycentric  of the fragment\n"
        "// normal       of the smooth cloth, unit, in the space of `now`\n"
        "// wave_profile sharpness, detail, sag, offset (`profile` of ruckle_waves_write_rest_texels)\n\n"
    )
    return {
        file: head.format(comment=comment) + language(nodes).text() for file, (language, comment) in TARGETS.items()
    }


def main() -> None:
    for file, text in generated().items():
        (FOLDER / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
