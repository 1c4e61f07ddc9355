"""The networks take any number of pieces, one after the other: OpenCV's classic engine lays them out anew each time, and some of its layers run over
when there are more than before."""

from pathlib import Path

import numpy as np
import pytest

import vision
from vision.network import load, outputs

MODELS = Path(vision.__file__).parent / "models"
SHAPES: dict[str, tuple[dict[str, tuple[int, ...]], tuple[str, ...]]] = {
    "checkers": ({"crops": (3, 288, 48), "lean": (4,)}, ("lane", "bar", "look", "tops")),
    "glance": ({"crops": (3, 144, 24)}, ("there",)),
    "look_dice": ({"crops": (3, 96, 96), "lean": (1,)}, ("kind", "value", "state")),
    "cube_face": ({"crops": (3, 40, 40)}, ("face",)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_pieces_may_get_more_and_fewer(name: str) -> None:
    inputs, names = SHAPES[name]
    used = load(MODELS / f"{name}.onnx")
    rng = np.random.default_rng(4)
    for count in (3, 16, 1, 26, 8, 30):
        given = {key: rng.standard_normal((count, *shape)).astype(np.float32) for key, shape in inputs.items()}
        found = []
        for network in (used, load(MODELS / f"{name}.onnx")):
            for key, value in given.items():
                network.setInput(value, key)
            found.append(outputs(network, *names))
        for again, fresh in zip(*found, strict=True):
            assert len(again) == count
            assert again == pytest.approx(fresh, abs=1e-4)


@pytest.mark.parametrize("name", [*SHAPES, "find_dice"])
def test_no_layer_is_one_that_runs_over(name: str) -> None:
    """A product without bias does: the network for checkers once crashed at its second picture."""
    network = load(MODELS / f"{name}.onnx")
    assert "MatMul" not in {network.getLayer(network.getLayerId(layer)).type for layer in network.getLayerNames()}


def test_the_canvas_may_get_larger_and_smaller() -> None:
    used = load(MODELS / "find_dice.onnx")
    rng = np.random.default_rng(4)
    for height, width in ((400, 584), (416, 640), (320, 500), (480, 800)):
        canvas = rng.standard_normal((1, 3, height // 8 * 8, width // 8 * 8)).astype(np.float32)
        found = []
        for network in (used, load(MODELS / "find_dice.onnx")):
            network.setInput(canvas)
            found.append(outputs(network, "maps")[0])
        assert found[0] == pytest.approx(found[1], abs=1e-4)
