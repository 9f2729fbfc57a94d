"""Upkeep of AI agents' long-term memory in PostgreSQL."""

__version__ = "0.1.0"
