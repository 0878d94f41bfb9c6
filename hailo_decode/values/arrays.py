"""Names for array types, for annotations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
U1 = npt.NDArray[np.uint8]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint64]
F4 = npt.NDArray[np.float32]
F8 = npt.NDArray[np.float64]
Bool = npt.NDArray[np.bool_]
