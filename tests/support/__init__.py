"""What tests stand on: servers and databases, builders of rows, ways to wait.

Holds no test itself.
"""
