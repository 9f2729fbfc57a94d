-- A statement that is at hand whole. Slots: statement. Locks: its own.
{statement}
