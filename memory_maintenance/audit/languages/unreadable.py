"""What a scanner raises for a file that isn't of its language after all."""

from __future__ import annotations


class Unreadable(Exception):  # noqa: N818 - says what happened to the file, as the errors of the operator do
    """A file that its language's parser refuses; the message is the reason, without the file's name.

    The audit goes on: it lists the file as skipped and looks for the bare word in it.
    """
