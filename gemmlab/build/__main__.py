"""`python -m gemmlab.build`."""

import sys

from gemmlab.build.build import main

sys.exit(main())
