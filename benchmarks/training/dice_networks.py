"""The networks that find dice and cube and look at them (train_dice.py)."""

from __future__ import annotations

import torch
from blocks import layer
from torch import nn
from torch.nn import functional as F


class Finer(nn.Module):
    """Other channels at twice the size, drawn out evenly: a transposed convolution takes OpenCV five times as long as all the rest."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.change = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(self.change(x), scale_factor=2, mode="bilinear", align_corners=False)


def finer(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights of a finder that had transposed convolutions: the mean of their four taps."""
    for name in ("c_up", "b_up"):
        if f"{name}.weight" in state:
            state[f"{name}.change.weight"] = state.pop(f"{name}.weight").mean(dim=(2, 3)).t()[..., None, None].contiguous()
            state[f"{name}.change.bias"] = state.pop(f"{name}.bias")
    return state


class Finder(nn.Module):
    """(1, 3, h, w) -> (1, 3, h/2, w/2): logits of die centre and cube centre, log of side / USUAL_SIDE."""

    def __init__(self) -> None:
        super().__init__()
        self.a = layer(3, 16, 2)
        self.b = nn.Sequential(layer(16, 32, 2), layer(32, 32, 1))
        self.c = nn.Sequential(layer(32, 56, 2), layer(56, 56, 1), layer(56, 56, 1), layer(56, 56, 1))
        self.c_up = Finer(56, 32)
        self.b_after = layer(32, 32, 1)
        self.b_up = Finer(32, 16)
        self.head = nn.Sequential(layer(16, 16, 1), nn.Conv2d(16, 3, 1))
        nn.init.constant_(self.head[1].bias, -3.0)
        with torch.no_grad():
            self.head[1].bias[2] = 0.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = self.b(a)
        b = self.b_after(b + self.c_up(self.c(b)))
        return self.head(a + self.b_up(b))


def rings(size: int, step: float, edges: list[float]) -> torch.Tensor:
    """Masks (len(edges) - 1, size * size) of rings about the middle, each summing to 1; `step`: close-up px a cell, `edges` in px."""
    y, x = torch.meshgrid(*(torch.arange(size) - (size - 1) / 2,) * 2, indexing="ij")
    far = torch.sqrt(x * x + y * y) * step
    masks = torch.stack([((far >= a) & (far < b)).float() for a, b in zip(edges, edges[1:], strict=False)]).flatten(1)
    return masks / masks.sum(dim=1, keepdim=True)


def in_rings(x: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Features (n, c, size, size) averaged over rings: (n, c * rings)."""
    # A product without bias becomes OpenCV's MatMul, which runs over when pieces get more.
    return F.linear(x.reshape(-1, masks.shape[1]), masks, torch.zeros(len(masks))).reshape(-1, x.shape[1] * masks.shape[0])


class Looker(nn.Module):
    """(n, 3, 96, 96) and lean (n, 1), sides -> logits: kind (n, 3: neither, die, cube), value (n, 6), state (n, 4).

    A face is counted, not recognised from one side: what was found is averaged over rings about the middle, so that a die turned by
    any angle gives the same. (Flattened maps learned nothing about values in a thousand steps.) What it is is seen also from the
    surroundings, at half the detail. How it lies is seen from where its sides show, so from the same features in their places.
    """

    def __init__(self) -> None:
        super().__init__()
        self.near = nn.Sequential(layer(3, 24, 1), layer(24, 32, 2), layer(32, 48, 1), layer(48, 48, 1))
        self.deep = nn.Sequential(layer(48, 64, 2), layer(64, 64, 1))
        self.register_buffer("near_rings", rings(24, 2.0, [0, 3, 5.5, 8, 10.5, 14, 20]), persistent=False)
        self.register_buffer("deep_rings", rings(12, 4.0, [0, 6, 11, 18]), persistent=False)
        self.wide = nn.Sequential(layer(3, 16, 2), layer(16, 24, 1), layer(24, 32, 2), layer(32, 32, 1), layer(32, 32, 2))
        self.face = nn.Sequential(nn.Linear(48 * 6 + 64 * 3, 128), nn.ReLU(), nn.Dropout(0.1))
        self.both = nn.Sequential(nn.Dropout(0.2), nn.Linear(128 + 32 * 36, 64), nn.ReLU())
        self.kind = nn.Linear(64, 3)
        self.places = layer(64, 16, 1, 1)
        self.lies = nn.Sequential(nn.Dropout(0.2), nn.Linear(128 + 32 * 36 + 16 * 144 + 1, 96), nn.ReLU(), nn.Linear(96, 4))
        self.value = nn.Sequential(nn.Linear(128, 48), nn.ReLU(), nn.Linear(48, 6))

    def forward(self, x: torch.Tensor, lean: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        near = self.near(x[:, :, 24:72, 24:72])
        deep = self.deep(near)
        pooled = [in_rings(near, self.near_rings), in_rings(deep, self.deep_rings)]
        face = self.face(torch.cat(pooled, dim=1))
        around = torch.cat([face, self.wide(F.avg_pool2d(x, 2)).flatten(1)], dim=1)
        lies = self.lies(torch.cat([around, self.places(deep).flatten(1), lean], dim=1))
        return self.kind(self.both(around)), self.value(face), lies
