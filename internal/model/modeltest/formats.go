package modeltest

// formats are the wires that the server knows.
var formats = []format{anthropic{}, gemini{}, chat{}, responses{}}
