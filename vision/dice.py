"""Dice and the doubling cube: where they lie, what they show, how they lie. Three small networks, no rule of the game.

A fully convolutional network looks at one rectified canvas of the board, its bar and a margin around, and marks centres of
dice and cubes and their size. Each candidate is then cut out at its own size and looked at closely: is it a die or a cube,
how many pips are up, and does it lie flat, lean on something, or lie on a checker. A close-up is turned so that whatever stands
upright leans up in it, because a die that leans on something differs from a flat one seen from the side only by which way its sides
show. The cube's number is read by the third.

Board units here are the rectified coordinates of `calibration.camera`: lane widths in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import view
from calibration.geometry import LANES_A_HALF, BoardGeometry, Points, transform
from calibration.pictures import normalise, reduced
from vision import thresholds
from vision.network import load, outputs
from vision.scene import CUBE_FACES, CubePlace, CubeSeen, DieSeen, Half

MODELS = Path(__file__).resolve().parent / "models"

LANE_PX = 32
"""Canvas px a lane width: a die (0.16 to 0.5 lane widths) is 5 to 16 px."""
MARGIN_X, MARGIN_Y = 2.6, 0.75
"""Lane widths of table, trays and frame that the canvas shows beside the surface, and above and below it."""
STRIDE = 2
"""Canvas px a cell of the centre maps."""
CROP = 96
"""Side of a close-up, px."""
SIDE_PX = 20.0
"""Px of a close-up for one side of the die or cube."""
MOST_LEAN = 1.5
"""Sides: the longest lean that a close-up is cut for; a camera 56 degrees from upright sees it."""
FACE_CROP, FACE_SIDE_PX = 40, 27.0
"""Side of the close-up that the cube's number is read from, and px of it for one side of the cube."""
FACE_TURNS = 24
"""The close-up is turned to this many angles: the network reads upright numbers only."""
USUAL_SIDE = 0.27
"""Lane widths: the size map holds the logarithm of side / USUAL_SIDE."""
MOST_CANDIDATES = 16
STATE_WEIGHTS: NDArray[np.float32] = np.array(thresholds.STATE_WEIGHTS, np.float32)
SMALL_STATE_WEIGHTS: NDArray[np.float32] = np.array(thresholds.SMALL_STATE_WEIGHTS, np.float32)

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where a die or cube may be: `xy` in rectified coordinates, `side` in lane widths, `heat` of the first network."""

    xy: tuple[float, float]
    side: float
    heat: float
    cube: bool


def canvas_size(geometry: BoardGeometry) -> tuple[int, int]:
    """(width, height) px of the canvas, multiples of 8."""
    width = 2 * LANES_A_HALF + geometry.bar_width + 2 * MARGIN_X
    height = view(geometry).height + 2 * MARGIN_Y
    return round(width * LANE_PX / 8) * 8, round(height * LANE_PX / 8) * 8


def canvas_to_rectified() -> Points:
    """Homography (3, 3): canvas px -> rectified coordinates."""
    step = 1.0 / LANE_PX
    return np.array([[step, 0, step / 2 - MARGIN_X], [0, step, step / 2 - MARGIN_Y], [0, 0, 1]], np.float64)


def canvas(image: Image, geometry: BoardGeometry) -> Image:
    """The rectified board with its surroundings: uint8 (height, width, 3), BGR as the picture."""
    small, scaled = reduced(image, geometry, 2.0 * LANE_PX)
    homography = view(scaled).plane @ canvas_to_rectified()
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    grey = (110, 110, 110)
    out = cv2.warpPerspective(small, homography, canvas_size(geometry), flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=grey)
    return np.asarray(out, np.uint8)


def normalise_crops(crops: Image) -> Floats:
    """(n, CROP, CROP, 3) uint8 -> (n, 3, CROP, CROP) float32: each channel of each crop centred, one scale a crop."""
    x = crops.astype(np.float32).transpose(0, 3, 1, 2)
    x -= x.mean(axis=(2, 3), keepdims=True)
    x /= np.sqrt((x * x).mean(axis=(1, 2, 3), keepdims=True)) + 4.0
    return np.ascontiguousarray(x)


def lean(geometry: BoardGeometry, xy: tuple[float, float], side: float) -> Points:
    """How far above its foot the top of an upright thing one side tall is seen at rectified `xy`: (2,) rectified, in sides, at most `MOST_LEAN`."""
    away = (np.array(view(geometry).top(xy, side)) - np.array(xy)) / side
    return np.asarray(away * min(1.0, MOST_LEAN / max(float(np.hypot(*away)), 1e-9)), np.float64)


def close_up_homography(geometry: BoardGeometry, xy: tuple[float, float], side: float, size: int = CROP) -> tuple[Points, float]:
    """Homography (3, 3): px of a close-up (`SIDE_PX` a side, `size` px square) -> image px, and the lean there in sides.

    For a die whose body is seen at rectified `xy`: the close-up is centred on the upper face that it has when it lies flat, and
    turned so that its lean points up.
    """
    away = lean(geometry, xy, side)
    far = float(np.hypot(*away))
    x, y = away / far if far > 1e-6 else (0.0, -1.0)
    turn = np.array([[-y, -x], [x, -y]]) * side / SIDE_PX
    middle = (size - 1) / 2
    start = np.array(xy) + away * side / 2 - turn @ np.array([middle, middle])
    local = np.array([[*turn[0], start[0]], [*turn[1], start[1]], [0, 0, 1]], np.float64)
    return np.asarray(view(geometry).plane @ local, np.float64), far


def close_up(image: Image, geometry: BoardGeometry, xy: tuple[float, float], side: float, size: int = CROP) -> tuple[Image, float]:
    """One close-up, uint8 (size, size, 3), and the lean in it, in sides."""
    homography, far = close_up_homography(geometry, xy, side, size)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(image, homography, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8), far


def face_homography(geometry: BoardGeometry, xy: tuple[float, float], side: float, size: int) -> Points:
    """Homography (3, 3): px of a close-up of a cube's upper face (`FACE_SIDE_PX` a side, `size` px square) -> image px.

    For a cube whose body is seen at rectified `xy`. From the side a cube shows two or three numbers; the one that counts is where its lean puts it.
    """
    step = side / FACE_SIDE_PX
    start = np.array(xy) + lean(geometry, xy, side) * side / 2 - (size - 1) / 2 * step
    local = np.array([[step, 0, start[0]], [0, step, start[1]], [0, 0, 1]], np.float64)
    return np.asarray(view(geometry).plane @ local, np.float64)


def face(image: Image, geometry: BoardGeometry, xy: tuple[float, float], side: float, size: int) -> Image:
    """A cube's upper face in the middle, as it lies on the board: uint8 (size, size, 3)."""
    homography = face_homography(geometry, xy, side, size)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(image, homography, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def close_up_picture(image: Image, geometry: BoardGeometry) -> tuple[Image, BoardGeometry]:
    """The picture that close-ups are cut from: lanes at most about 90 px wide."""
    return reduced(image, geometry, 1.2 * SIDE_PX / USUAL_SIDE)


def face_picture(image: Image, geometry: BoardGeometry) -> tuple[Image, BoardGeometry]:
    """The picture that the cube's number is cut from: a usual cube is about half a lane wide."""
    return reduced(image, geometry, 2.4 * FACE_SIDE_PX)


def turned(around: Image, size: int) -> Image:
    """The middle of a picture (2 size, 2 size, 3), turned to `FACE_TURNS` angles: uint8 (FACE_TURNS, size, size, 3)."""
    out = np.empty((FACE_TURNS, size, size, 3), np.uint8)
    middle = (len(around) - 1) / 2
    for n, crop in enumerate(out):
        matrix = np.asarray(cv2.getRotationMatrix2D((middle, middle), 360.0 * n / FACE_TURNS, 1.0), np.float64)
        matrix[:, 2] += (size - 1) / 2 - middle
        cv2.warpAffine(around, matrix, (size, size), dst=crop, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return out


def best_turn(upright: Floats) -> Floats:
    """Log of how sure the network was of each number at the angle that suits it best: (turns, 1 + faces), none first -> (faces,)."""
    return np.asarray(np.log(upright[:, 1:].max(axis=0) + 1e-4), np.float32)


def peaks(maps: Floats, threshold: float, most: int = MOST_CANDIDATES) -> list[Candidate]:
    """Candidates in the first network's output: maps (3, h, w): logits of die centre and cube centre, log size."""
    heat = 1.0 / (1.0 + np.exp(-maps[:2]))
    kernel = np.ones((5, 5), np.uint8)
    found = []
    to_rectified = canvas_to_rectified()
    for kind in (0, 1):
        plane = np.ascontiguousarray(heat[kind])
        rows, columns = np.nonzero((plane >= threshold) & (plane >= cv2.dilate(plane, kernel)))
        for r, c in zip(rows.tolist(), columns.tolist(), strict=True):
            around = plane[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2]
            total = float(around.sum())
            dr = float((around * (np.arange(around.shape[0])[:, None] + max(r - 1, 0) - r)).sum()) / total
            dc = float((around * (np.arange(around.shape[1])[None, :] + max(c - 1, 0) - c)).sum()) / total
            px = ((c + dc + 0.5) * STRIDE - 0.5, (r + dr + 0.5) * STRIDE - 0.5)
            x, y = transform(to_rectified, [px])[0]
            size = USUAL_SIDE * float(np.exp(np.clip(maps[2, r, c], -1.2, 1.6)))
            found.append(Candidate((float(x), float(y)), size, float(plane[r, c]), kind == 1))
    found.sort(key=lambda k: -k.heat)
    kept: list[Candidate] = []
    for k in found:
        if all(np.hypot(k.xy[0] - o.xy[0], k.xy[1] - o.xy[1]) > 0.45 * min(k.side, o.side) for o in kept):
            kept.append(k)
    return kept[:most]


def softmax(logits: Floats, temperature: float) -> Floats:
    """(n, k) logits -> (n, k) probabilities."""
    e = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)


def _shares(weights: Floats) -> Floats:
    """Rows that sum to 1."""
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def flattened(p: Floats, side_px: float) -> tuple[float, ...]:
    """Probabilities of a face, drawn towards even ones where the die is too small in the picture to be read."""
    keep = float(np.clip((side_px - thresholds.FACE_UNREADABLE_PX) / (thresholds.FACE_READABLE_PX - thresholds.FACE_UNREADABLE_PX), 0, 1))
    return tuple(float(v) for v in keep * p + (1 - keep) / len(p))


def state_weights(side: float, lane_px: float) -> NDArray[np.float32]:
    """What the probabilities of `DIE_STATES` are divided by, for a die of `side` lane widths."""
    return SMALL_STATE_WEIGHTS if side * lane_px < thresholds.STATE_READABLE_PX else STATE_WEIGHTS


def lies_told(side: float, size: tuple[int, int]) -> bool:
    """Whether how a die of `side` lane widths lies can be told in a picture of `size` (width, height) px.

    A nearly square picture was cut out of another or squeezed: no camera takes it, so where the camera was does not follow from the corners, and a flat die
    seen from the side looks like one that leans.
    """
    return side <= thresholds.STATE_LARGEST and max(size) >= thresholds.CAMERA_SHAPE * min(size)


@dataclass(frozen=True, slots=True, eq=False)
class Opinions:
    """Probabilities (n, k) for n close-ups. kind: neither, die, cube. value: 1 to 6. state: `DIE_STATES`."""

    kind: Floats
    value: Floats
    state: Floats


class SmallPieces:
    """Reads dice and cube; the networks are loaded once. Not safe to share between threads."""

    def __init__(self, models: Path = MODELS) -> None:
        self._find = load(models / "find_dice.onnx")
        self._look = load(models / "look_dice.onnx")
        self._face = load(models / "cube_face.onnx")

    def candidates(self, image: Image, geometry: BoardGeometry) -> list[Candidate]:
        """Places worth a close-up, likeliest first."""
        self._find.setInput(normalise(canvas(image, geometry)[None]))
        return peaks(outputs(self._find, "maps")[0][0], thresholds.CANDIDATE_HEAT)

    def opinions(self, image: Image, geometry: BoardGeometry) -> tuple[list[Candidate], Opinions]:
        """Every candidate, and what its close-up looks like."""
        found = self.candidates(image, geometry)
        if not found:
            return [], Opinions(*(np.empty((0, n), np.float32) for n in (3, 6, 4)))
        picture, scaled = close_up_picture(image, geometry)
        cuts = [close_up(picture, scaled, k.xy, k.side) for k in found]
        crops, leans = np.stack([crop for crop, _ in cuts]), np.array([[far] for _, far in cuts], np.float32)
        logits, value, state = self._see(crops, leans)
        kind = softmax(logits, thresholds.KIND_TEMPERATURE)
        again = [n for n, k in enumerate(found) if self._worth_another_look(k, kind[n], value[n], state[n])]
        if again:  # a die in the mirror has its pips, and lies as it does: two looks err less than one
            _, mirrored_value, mirrored_state = self._see(crops[again][:, :, ::-1], leans[again])
            value[again] = (value[again] + mirrored_value) / 2
            state[again] = (state[again] + mirrored_state) / 2
        weights = np.array([state_weights(k.side, geometry.lane_px) for k in found], np.float32)
        lies = _shares(softmax(state, thresholds.STATE_TEMPERATURE) / weights)
        lies[[not lies_told(k.side, geometry.size) for k in found]] = thresholds.STATE_USUAL
        return found, Opinions(
            kind,
            softmax(value, thresholds.VALUE_TEMPERATURE),
            lies,
        )

    @staticmethod
    def _worth_another_look(candidate: Candidate, kind: Floats, value: Floats, state: Floats) -> bool:
        """Whether it is taken for a die, and what it shows or how it lies is not plain. value, state: logits."""
        if certainty(candidate.heat, float(kind[1]), thresholds.DIE_WEIGHTS) < thresholds.DIE_CERTAINTY:
            return False
        return any(float(softmax(logits[None], 1.0).max()) < thresholds.PLAIN for logits in (value, state))

    def _see(self, crops: Image, leans: Floats) -> list[Floats]:
        """Logits of kind, value and state of close-ups (n, CROP, CROP, 3), leans (n, 1)."""
        self._look.setInput(normalise_crops(crops), "crops")
        self._look.setInput(leans, "lean")
        return outputs(self._look, "kind", "value", "state")

    def read(self, image: Image, geometry: BoardGeometry) -> tuple[tuple[DieSeen, ...], CubeSeen | None]:
        """Dice and cube in a BGR picture (h, w, 3) uint8 of the size that `geometry` was measured in."""
        found, opinions = self.opinions(image, geometry)
        seen = view(geometry)
        dice: list[DieSeen] = []
        cube: CubeSeen | None = None
        for n, k in enumerate(found):
            x, y = transform(seen.plane, [k.xy])[0]
            size = k.side * geometry.lane_px
            foot = seen.footprint(k.xy, k.side / 2)
            if opinions.kind[n, 2] > opinions.kind[n, 1]:
                sure = certainty(k.heat, float(opinions.kind[n, 2]), thresholds.CUBE_WEIGHTS)
                if sure >= max(thresholds.CUBE_CERTAINTY, cube.certainty if cube else 0.0):
                    cube, at = CubeSeen((float(x), float(y)), (), cube_place(geometry, foot), size, sure), n
                continue
            sure = certainty(k.heat, float(opinions.kind[n, 1]), thresholds.DIE_WEIGHTS)
            if sure >= thresholds.DIE_CERTAINTY:
                lies = tuple(float(v) for v in opinions.state[n])
                dice.append(DieSeen((float(x), float(y)), flattened(opinions.value[n], size), lies, place(geometry, foot), size, sure))
        return tuple(dice), cube and replace(cube, values=self._number(image, geometry, found[at]))

    def _number(self, image: Image, geometry: BoardGeometry, cube: Candidate) -> tuple[float, ...]:
        """Probabilities of `CUBE_FACES`."""
        picture, scaled = face_picture(image, geometry)
        around = face(picture, scaled, cube.xy, cube.side, 2 * FACE_CROP)
        self._face.setInput(normalise_crops(turned(around, FACE_CROP)))
        upright = softmax(outputs(self._face, "face")[0], 1.0)
        p = softmax(best_turn(upright)[None], thresholds.CUBE_TEMPERATURE)
        return flattened(p[0], cube.side * geometry.lane_px)


def certainty(heat: float, kind: float, weights: tuple[float, float, float]) -> float:
    """Both networks' opinions on one candidate, as one probability: a weighted sum of their log odds."""
    constant, of_heat, of_kind = weights
    return float(1 / (1 + np.exp(-constant - of_heat * log_odds(heat) - of_kind * log_odds(kind))))


def log_odds(p: float) -> float:
    return float(np.log((p + 1e-3) / (1 - p + 1e-3)))


def place(geometry: BoardGeometry, foot: tuple[float, float]) -> Half:
    """Half of the rectified board, the bar, or off, for a footprint in rectified coordinates."""
    (x, y), height = foot, view(geometry).height
    if not (0 <= y <= height and 0 <= x <= 2 * LANES_A_HALF + geometry.bar_width):
        return "off"
    if x < LANES_A_HALF:
        return "left"
    return "right" if x > LANES_A_HALF + geometry.bar_width else "bar"


def cube_place(geometry: BoardGeometry, foot: tuple[float, float]) -> CubePlace:
    """Whose the cube is, from where it lies: near an edge, in the middle, beside the board, or offered on the surface."""
    (x, y), height = foot, view(geometry).height
    half = place(geometry, foot)
    if half in ("left", "right") and 0.15 * height < y < 0.85 * height:
        return "other"
    if y < 0.36 * height:
        return "top"
    if y > 0.64 * height:
        return "bottom"
    if half == "off":
        return "left" if x < LANES_A_HALF else "right"
    return "middle"


__all__ = ["CUBE_FACES", "Candidate", "SmallPieces"]
