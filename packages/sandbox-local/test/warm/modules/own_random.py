"""Has random numbers of its own."""

import random

own, other, seeded, restored = random.Random(), random.Random(1), random.Random(2), random.Random()
other.seed()
restored.setstate(seeded.getstate())
