-- The pid of the server process that really runs this statement. Result: backend_pid int. Locks: none.
SELECT pg_backend_pid() AS backend_pid
