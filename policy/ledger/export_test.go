package ledger

// HeadOf is headOf, for tests.
var HeadOf = headOf
