"""How anything runs, knowing no job: lock, ledger, batches, retries, signals."""
