-- The end of a day by its number; 0 is the report's instant, and the last day may be a shorter one. A fragment.
-- Parameters: as_of; until: the forecast's end. Slots: day: an int4. Result: timestamptz.
least(%(as_of)s::timestamptz + {day}::float8 * '24:00:00'::interval, %(until)s::timestamptz)
