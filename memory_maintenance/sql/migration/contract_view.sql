-- A view that shows data_type computed from the axes. Slots: statement: a whole CREATE OR REPLACE VIEW.
-- Locks: ACCESS EXCLUSIVE on the view.
{statement}
