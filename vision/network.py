"""Loading a trained network.

OpenCV 5 has two engines for networks. On one thread the classic one takes 0.65 to 0.9 of the other's time for ours (it convolves wide
maps by Winograd's method), so they are exported in the shapes that suit it (benchmarks/training/laid_out.py, docs/decisions/0022).
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray


def load(model: Path) -> cv2.dnn.Net:
    """The network in an ONNX file. Not safe to share between threads."""
    return cv2.dnn.readNetFromONNX(str(model), engine=cv2.dnn.ENGINE_CLASSIC)


def outputs(net: cv2.dnn.Net, *names: str) -> list[NDArray[np.float32]]:
    """What the network makes of the inputs that were set, by the outputs' names."""
    return [np.asarray(value, np.float32) for value in net.forward(list(names))]
