"""The way to the database: which server, a private one of our own, the session, the table.

May import config, model and errors; engine and jobs stand on it. Whatever may hold a password is
masked here, before anybody else sees it.
"""
