"""What an extractor's model is asked, what it answers, and what becomes of that (spec 4 to 7)."""
