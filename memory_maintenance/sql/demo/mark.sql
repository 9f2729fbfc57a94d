-- Marks the database as one that holds nothing but a demo.
--
-- Purpose: what carries the mark may be dropped and built anew; what lacks it is never touched.
-- Slots:   database, the current database's name; marker, the comment as a literal.
-- Locks:   SHARE UPDATE EXCLUSIVE on the database object. Only its owner may set the comment.

COMMENT ON DATABASE {database} IS {marker}
