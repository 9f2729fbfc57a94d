"""Forms of an audit's result for other programs than our own."""
