-- A statement that was written down whole. Slots: statement.
{statement}
