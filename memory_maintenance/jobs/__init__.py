"""The jobs: each takes what it works on and returns a Result. None of them prints.

STEPS are those that ``run`` can be told to do, in the YAML's ``run`` list.
"""

from __future__ import annotations

from typing import Final

STEPS: Final[dict[str, str]] = {
    "expire-obligations": "memory_maintenance.jobs.obligations:step",
    "decay": "memory_maintenance.jobs.decay:step",
}
"""Name of a step and where its function is: it takes an ``engine.run.Run`` and returns a ``Result``."""
