"""Whether one run of a kernel decides all orders of its warps, and all data: data flow over the PTX, nothing is run."""
