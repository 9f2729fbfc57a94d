-- The half-life in seconds of a decay_rate > 0 per day: ln 2 * 86400 / rate (spec 3). A fragment. The bound keeps
-- the division from overflowing.
59887.916400379276::float8 / greatest(j.decay_rate, 1e-300::float8)
