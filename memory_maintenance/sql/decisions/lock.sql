-- Holds a decision's row against other writers to the end of the transaction. A fragment.
FOR NO KEY UPDATE OF f
