-- The facts that nobody has classified yet. A condition on f. Locks: none.
f.durability IS NULL OR f.category IS NULL
