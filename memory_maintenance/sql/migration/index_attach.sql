-- Makes a partition's index part of the partitioned one, which becomes valid with the last of them.
-- Slots: index, part. Locks: ACCESS EXCLUSIVE on the partition's index, briefly.
ALTER INDEX {index} ATTACH PARTITION {part}
