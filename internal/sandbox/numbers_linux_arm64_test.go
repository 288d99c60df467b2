package sandbox

var oldMetadata []uint32
