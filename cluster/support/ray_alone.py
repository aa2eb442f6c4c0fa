"""A cluster of Ray of this machine alone, as asof starts one, and who is admitted to it.

python -m cluster.support.ray_alone FOLDER       say where it and an actor listen; wait for a line
python -m cluster.support.ray_alone --join ADDR  try to join it
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from asof.cluster.ray.corpus import open_ray
from asof.cluster.ray.library import connected, ray
from asof.errors import CorpusError


def main() -> None:
    if sys.argv[1] == "--join":
        try:
            with connected(sys.argv[2]):
                told = "admitted"
        except CorpusError as error:
            told = f"refused: {error}"
        sys.stdout.write(told)
        return
    with open_ray(Path(sys.argv[1])) as corpus:
        host, *_ = ray().get(corpus.searchers[0][0].address.remote())
        told = {
            "ray": ray().get_runtime_context().gcs_address,
            "actor": host,
            "found": len(corpus.search("ferry")),
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    main()
