"""Pieces that the networks have in common."""

from __future__ import annotations

import torch
from torch import nn


def layer(inputs: int, outputs: int, stride: int, size: int = 3) -> nn.Sequential:
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
