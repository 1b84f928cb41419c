"""What every graph is made of, whatever its structure. It knows no structure and no feature by name."""
