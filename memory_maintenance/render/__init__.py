"""Results as text and JSON. Pure: no SQL, no clock, no environment."""
