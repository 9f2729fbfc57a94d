"""What an earlier run left in a textfile: input from outside, in which anything may stand."""

from __future__ import annotations

import logging
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

_log = logging.getLogger(__name__)
_MOST_BYTES: Final = 64 * 1024


def value_in(path: Path, name: str, labels: Mapping[str, str], *, most: float) -> float | None:
    """The value of a series, from 0 to ``most``; None where there is no such file, series or value.

    What can't be read is logged and counts as none.
    """
    try:
        text = _read(path)
        families = () if text is None else tuple(text_string_to_metric_families(text))
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: BLE001 - the parser doesn't say what it raises
        _log.warning(
            "monitoring: %s can't be read, so the time of the last success is lost: %s",
            path.name,
            type(error).__name__,
        )
        return None
    for family in families:
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                value = float(sample.value)
                return value if math.isfinite(value) and 0 <= value <= most else None
    return None


def _read(path: Path) -> str | None:
    # A pipe would be waited for, and a link may lead anywhere.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("no regular file")
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("too large")
    return data.decode()
