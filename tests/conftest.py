"""One thread for linear algebra: the matrices are small, and threads that compete for them cost more than they give."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
