"""What functors may call: atomics, random numbers and neighbor lists, each with its meaning on CPUs and GPUs."""
