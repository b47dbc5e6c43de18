"""Takes the README's pictures anew: python tools/screenshots.py

The browser test drives a lesson and leaves pictures in build/screenshots; the ones that the README shows are made
small and put into docs/.
"""

import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
SHOWN = ("race", "explorer")
COLORS = 200


def main() -> int:
    failed = pytest.main(["-q", str(ROOT / "tests/panels/test_browser.py")])
    if failed:
        return int(failed)
    (ROOT / "docs").mkdir(exist_ok=True)
    for name in SHOWN:
        picture = Image.open(ROOT / "build" / "screenshots" / f"{name}.png").convert("RGB")
        picture.quantize(COLORS, dither=Image.Dither.NONE).save(ROOT / "docs" / f"{name}.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
