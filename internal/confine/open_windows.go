package confine

// nonblock is nothing here: named pipes have a place of their own.
const nonblock = 0
