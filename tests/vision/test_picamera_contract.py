"""vision/picamera.py uses only what the installed picamera2 has: names and keyword arguments are read from both texts.

picamera2 cannot be imported without libcamera, so its text is read; `make test` installs it without its own requirements.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
from pathlib import Path

import pytest

ADAPTER = Path(__file__).parents[2] / "vision" / "picamera.py"
HOLDERS = ("camera", "self._camera", "library.Picamera2", "self._library.Picamera2")
"""How the adapter calls a picamera2 camera, and its class."""
VERSION = "0.3.38"


def package() -> Path:
    found = importlib.util.find_spec("picamera2")
    if found is None or found.origin is None:
        pytest.skip("picamera2 is not installed (make test installs it)")
    return Path(found.origin).parent


class Used(ast.NodeVisitor):
    """(name, keywords, number of positional arguments or None when it is not called) for each use of a camera."""

    def __init__(self) -> None:
        self.uses: list[tuple[str, tuple[str, ...], int | None]] = []
        self._called: set[int] = set()

    def visit_Call(self, node: ast.Call) -> None:
        text = ast.unparse(node.func)
        keywords = tuple(k.arg for k in node.keywords if k.arg)
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in HOLDERS:
            self._called.add(id(node.func))
            self.uses.append((node.func.attr, keywords, len(node.args)))
        elif text in HOLDERS:
            self.uses.append(("__init__", keywords, len(node.args)))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if id(node) not in self._called and ast.unparse(node.value) in HOLDERS:
            self.uses.append((node.attr, (), None))
        self.generic_visit(node)


def real_class() -> ast.ClassDef:
    tree = ast.parse((package() / "picamera2.py").read_text(encoding="utf-8"))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Picamera2")


def signatures() -> dict[str, ast.FunctionDef]:
    """The last definition of each name: those before it are overloads."""
    return {node.name: node for node in real_class().body if isinstance(node, ast.FunctionDef)}


def attributes() -> set[str]:
    return {
        target.attr
        for node in ast.walk(real_class())
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
    }


def adapter() -> list[tuple[str, tuple[str, ...], int | None]]:
    used = Used()
    used.visit(ast.parse(ADAPTER.read_text(encoding="utf-8")))
    return used.uses


def test_the_adapter_is_seen_to_use_the_camera() -> None:
    names = {name for name, *_ in adapter()}
    assert {"__init__", "configure", "create_video_configuration", "capture_arrays", "set_controls", "close", "global_camera_info"} <= names
    assert any("wait" in keywords for name, keywords, _ in adapter() if name == "capture_arrays")


@pytest.mark.parametrize(("name", "keywords", "positional"), sorted(set(adapter()), key=str))
def test_the_real_one_has_it(name: str, keywords: tuple[str, ...], positional: int | None) -> None:
    methods = signatures()
    if positional is None:
        assert name in methods or name in attributes(), f"picamera2 has no {name}"
        return
    assert name in methods, f"picamera2 has no method {name}"
    given = methods[name].args
    static = any(ast.unparse(d) == "staticmethod" for d in methods[name].decorator_list)
    takes = [a.arg for a in given.args][0 if static else 1 :]
    assert positional <= len(takes)
    assert set(keywords) <= set(takes[positional:]) | {a.arg for a in given.kwonlyargs}


def test_streams_and_controls_are_named_as_the_real_one_names_them() -> None:
    text = (package() / "picamera2.py").read_text(encoding="utf-8")
    for word in (
        '"main"',
        '"lores"',
        '"FrameDurationLimits"',
        '"crop_limits"',
        '"bit_depth"',
        '"fps"',
        "'output_size'",
        "'ScalerCrop'",
        '"Model"',
    ):
        assert word in text, word
    formats = (package() / "formats.py").read_text(encoding="utf-8")
    for pixels in ("RGB888", "BGR888", "XBGR8888", "XRGB8888", "YUV420", "NV12"):
        assert f'"{pixels}"' in formats, pixels


def test_the_version_that_was_read() -> None:
    package()
    assert importlib.metadata.version("picamera2") == VERSION
