"""References to a retired column: what in the catalog depends on it, and what names it."""
