"""Print the pins of a constraints file without their hashes."""

import re
import sys
from pathlib import Path

for line in Path(sys.argv[1]).read_text().splitlines():
    if pin := re.match(r"[A-Za-z0-9][^ ;\\]*==[^ ;\\]+( ;[^\\]*)?", line):
        sys.stdout.write(pin.group(0).strip() + "\n")
