"""``migrate-types``: from ``data_type`` to the two axes, in phases that can each be run again."""
