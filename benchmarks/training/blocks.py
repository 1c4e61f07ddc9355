"""Pieces that the networks have in common."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from vision.network import load, outputs


def layer(inputs: int, outputs: int, stride: int | tuple[int, int], size: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


def centre_loss(out: torch.Tensor, target: torch.Tensor, counts: torch.Tensor | None = None) -> torch.Tensor:
    """Focal loss on marks (CornerNet; Law and Deng, 2018). `out`: logits, `target`: 1 at a mark and falling off around it, both
    (n, k, h, w). `counts` (n, 1, h, w): 0 where a mark missed is no fault."""
    p = torch.sigmoid(out).clamp(1e-4, 1 - 1e-4)
    centre = (target >= 0.999).float()
    wrong = -torch.log(1 - p) * p**2 * (1 - target) ** 4 * (1 - centre)
    if counts is not None:
        wrong = wrong * counts
    return ((-torch.log(p) * (1 - p) ** 2 * centre).sum() + wrong.sum()) / centre.sum().clamp(min=1)


def export(net: nn.Module, inputs: dict[str, torch.Tensor], path: Path, names: list[str], like: nn.Module | None = None) -> None:
    """Write a network for OpenCV, and refuse it when OpenCV makes something else of it, for as many pieces, fewer and more. `like`: what it must equal.

    OpenCV's classic engine takes no open shapes, but does take another number of pieces than was written.
    """
    net.eval()
    (like or net).eval()
    torch.onnx.export(net, tuple(inputs.values()), str(path), input_names=list(inputs), output_names=names, dynamo=False, opset_version=13)
    loaded = load(path)
    if any(loaded.getLayer(loaded.getLayerId(name)).type == "MatMul" for name in loaded.getLayerNames()):
        raise RuntimeError(f"{path.name} has a product without bias, in which OpenCV's classic engine runs over when pieces get more")
    count = len(next(iter(inputs.values())))
    for some in (count, (count + 1) // 2, count, 2 * count):
        given = [torch.randn(some, *value.shape[1:]) for value in inputs.values()]
        for name, value in zip(inputs, given, strict=True):
            loaded.setInput(value.numpy(), name)
        with torch.no_grad():
            wanted = (like or net)(*given)
        for name, got, want in zip(names, outputs(loaded, *names), wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
            if np.abs(got - want.numpy()).max() > 1e-3 * (1 + np.abs(want.numpy()).max()):
                raise RuntimeError(f"OpenCV makes another {name} of {path.name} than torch")
