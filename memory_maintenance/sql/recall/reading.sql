-- The candidates' rows, those that may be given, for the projection. A fragment: to facts/reading.
-- Parameters: those of recall/candidate. Slots: reading; key; candidate.
(
    {reading}
    WHERE f.{key} = ANY (ARRAY(SELECT c.key FROM candidates AS c))
        AND {candidate}
)
