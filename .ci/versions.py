"""Print the pins of a constraints file: all of them without their hashes, or those of these names with them.

python .ci/versions.py constraints.txt [NAME ...]
"""

import re
import sys
from pathlib import Path

path, *names = sys.argv[1:]
for entry in re.split(r"\n(?=\S)", Path(path).read_text()):
    pin = re.match(r"([A-Za-z0-9][^ ;=\\]*)==[^ ;\\]+( ;[^\\]*)?", entry)
    if pin and not names:
        sys.stdout.write(pin.group(0).strip() + "\n")
    elif pin and pin[1] in names:
        sys.stdout.write(entry + "\n")
