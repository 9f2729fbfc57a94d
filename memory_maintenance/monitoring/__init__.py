"""Observers of a run: a textfile for Prometheus and pings as of healthchecks.io.

They see what a run came to and no database. None of them can fail a run, or hold it up for longer than
docs/monitoring.md says.
"""
