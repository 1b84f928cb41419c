"""How operators run: kernels by functor, balance of work, outputs, signatures and plans."""
