"""The checker network as it is exported: the same function, with the lanes side by side where that is quicker.

Lane crops are so narrow at an eighth of their size (6 px) that OpenCV does not convolve them by Winograd's method (Lavin and Gray,
2016), which takes a third of the time. So they are laid side by side in one strip, a column of zeros between each and the next, which is
also the padding that each has by itself: every number comes out as it was (`blocks.export` checks it). How many lanes there are is left open.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from vision import lanes

HEIGHT, WIDTH = lanes.CROP_HEIGHT // 8, lanes.CROP_WIDTH // 8


class LaidOut(nn.Module):
    """crops (n, 3, h, w), lean (n, 4) of one board -> what `CheckerNet` gives for it."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net
        gap = torch.ones(1, 1, 1, WIDTH + 1)
        gap[..., WIDTH] = 0
        self.register_buffer("gap", gap)
        inner = net.look.out_channels
        self.look_near, self.look_mask = nn.Conv2d(net.look.in_channels - 2, inner, 1), nn.Conv2d(2, inner, 1, bias=False)
        context = net.give.out_features
        self.take_context, self.take_lean = nn.Linear(context, net.take.out_features), nn.Linear(lanes.LEANS, net.take.out_features)
        with torch.no_grad():
            self.look_near.weight.copy_(net.look.weight[:, :-2])
            self.look_near.bias.copy_(net.look.bias)
            self.look_mask.weight.copy_(net.look.weight[:, -2:])
            self.take_context.weight.copy_(net.take.weight[:, :context])
            self.take_context.bias.copy_(net.take.bias)
            self.take_lean.bias.zero_()  # there because OpenCV's MatMul, which a layer without one becomes, runs over when pieces get more
            self.take_lean.weight.copy_(net.take.weight[:, context:])

    def zeroed(self, strip: torch.Tensor) -> torch.Tensor:
        """The columns between the lanes set to 0, as a convolution expects them."""
        channels = strip.shape[1]
        return (strip.reshape(channels, HEIGHT, -1, WIDTH + 1) * self.gap).reshape(1, channels, HEIGHT, -1)

    def block(self, block: nn.Module, strip: torch.Tensor) -> torch.Tensor:
        inside = self.zeroed(F.relu(block.na(block.a(strip))))
        return F.relu(strip + block.nb(block.b(inside)))

    def forward(self, x: torch.Tensor, lean: torch.Tensor) -> tuple[torch.Tensor, ...]:
        net = self.net
        near = net.near(x)
        tops = net.tops(near)
        mask = torch.sigmoid(tops)
        weight = torch.relu(mask[:, 0:1] + mask[:, 1:2] - 0.3) + 1e-4
        look = torch.relu(self.look_near(near) + self.look_mask(mask))
        seen = torch.cat([look, F.avg_pool2d(x, 4)], dim=1)
        pooled = (seen * weight).mean(dim=(2, 3)) / weight.mean(dim=(2, 3))
        far = net.far[0](torch.cat([near, mask], dim=1))
        channels = far.shape[1]
        strip = F.pad(far, (0, 1)).permute(1, 2, 0, 3).reshape(1, channels, HEIGHT, -1)
        strip = self.zeroed(self.block(net.far[1], strip))
        lanes_apart = strip.reshape(channels, HEIGHT, -1, WIDTH + 1)
        means = lanes_apart.sum(dim=(1, 3)).t() / (HEIGHT * WIDTH)
        context = torch.relu(net.give(torch.cat([means, pooled], dim=1))).mean(dim=0, keepdim=True)
        scale, shift = (self.take_context(context) + self.take_lean(lean)).chunk(2, dim=1)
        changed = lanes_apart * (1 + scale).t().reshape(channels, 1, -1, 1) + shift.t().reshape(channels, 1, -1, 1)
        strip = self.block(net.after[0], self.zeroed(changed.reshape(1, channels, HEIGHT, -1)))
        far = strip.reshape(channels, HEIGHT, -1, WIDTH + 1)[..., :WIDTH].permute(2, 0, 1, 3)
        flat = net.after[1:](far).flatten(1)
        return net.lane(flat), net.bar(flat), net.describe(pooled), tops
