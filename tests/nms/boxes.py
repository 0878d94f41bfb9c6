"""What property tests draw: boxes on a coarse grid, few scores, so that ties come up at once."""

from hypothesis import strategies as st
from nms.write_nms import f4

EDGES = [f4(k / 16) for k in range(-2, 19)]
SCORES = [f4(k / 8) for k in range(1, 9)]


@st.composite
def boxes(draw, classes=3, max_size=8):
    """Boxes (y_min, x_min, y_max, x_max, score, class) that may reach over the image; none inside out."""
    made = []
    for _ in range(draw(st.integers(0, max_size))):
        y = sorted(draw(st.tuples(st.sampled_from(EDGES), st.sampled_from(EDGES))))
        x = sorted(draw(st.tuples(st.sampled_from(EDGES), st.sampled_from(EDGES))))
        score = draw(st.sampled_from(SCORES))
        made.append((y[0], x[0], y[1], x[1], score, draw(st.integers(0, classes - 1))))
    return made
