import itertools

import numpy as np
import pytest

from hott.plots import style

# Linear RGB as seen without red, green or blue cones: Machado, Oliveira and Fernandes (2009), severity 1.
VISION = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
CONES = [[0.41222, 0.53633, 0.05145], [0.2119, 0.6807, 0.1074], [0.0883, 0.28172, 0.62998]]
OKLAB = [[0.21045, 0.79362, -0.00407], [1.978, -2.42859, 0.45059], [0.0259, 0.78277, -0.80868]]


def linear(hex_color):
    channels = np.array([int(hex_color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def perceived(hex_color, vision):
    seen = np.clip(np.array(VISION[vision]) @ linear(hex_color), 0, 1)
    return np.array(OKLAB) @ np.cbrt(np.array(CONES) @ seen)


@pytest.mark.parametrize("vision", VISION)
def test_every_reader_can_tell_twenty_classes_apart(vision):
    places = [perceived(color, vision) for color in style.COLORS]
    assert len(places) == 20
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(places, 2)) > 0.045
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(places[:10], 2)) > 0.07


@pytest.mark.parametrize("theme", style.LOOKS)
def test_colours_stand_out_from_the_background(theme):
    def light(color):
        return linear(color) @ [0.2126, 0.7152, 0.0722] + 0.05

    look = style.LOOKS[theme]
    for color, least in [(c, 1.9) for c in style.COLORS] + [(look.text, 7), (look.faint, 4.5)]:
        pair = sorted([light(color), light(look.background)])
        assert pair[1] / pair[0] > least, color


def test_a_hundred_classes_look_different():
    assert len({(style.color(i), style.symbol(i)) for i in range(100)}) == 100
