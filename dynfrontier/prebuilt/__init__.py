"""Machine code for GPUs that wheels bring along, compiled on a machine that needs none."""
