package acp

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// longText is from how many bytes on a string is worth sharing memory with the message it came in.
const longText = 1024

// expected says that a value has the wrong type.
func expected(what string, found []byte) error {
	return fmt.Errorf("expected %s, found %s", what, kindOf(found))
}

func kindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (d decoder) string(value []byte) (string, error) {
	if value[0] != '"' {
		return "", expected("a string", value)
	}
	if d.alias && len(value) >= longText {
		if text, ok := rawjson.Plain(value); ok {
			return unsafe.String(&text[0], len(text)), nil
		}
	}
	return rawjson.String(value), nil
}

func parseBool(value []byte) (bool, error) {
	switch value[0] {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, expected("a boolean", value)
}

var errFraction = errors.New("expected an integer, found a fraction")

func parseInt(value []byte, bits int) (int64, error) {
	digits, err := integer(value)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(digits, 10, bits)
	if err != nil {
		return 0, outOfRange(value, bits)
	}
	return n, nil
}

func parseUint(value []byte, bits int) (uint64, error) {
	digits, err := integer(value)
	if err != nil {
		return 0, err
	}
	if digits == "-0" {
		digits = "0"
	}
	n, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		return 0, outOfRange(value, bits)
	}
	return n, nil
}

func outOfRange(value []byte, bits int) error {
	if len(value) > 40 {
		value = append(value[:40:40], "..."...)
	}
	return fmt.Errorf("%s is out of range for an integer of %d bits", value, bits)
}

// integer returns the decimal digits of a number without a fraction, however it is written: 100, 100.0 or 1e2. What
// has far too many digits for any integer comes back with enough of them to be out of range.
func integer(number []byte) (string, error) {
	if c := number[0]; c != '-' && (c < '0' || c > '9') {
		return "", expected("an integer", number)
	}
	if !bytes.ContainsAny(number, ".eE") {
		return string(number), nil
	}
	mantissa, exponent := number, 0
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(number[i+1:]))
		if err != nil { // beyond all bounds
			n = math.MaxInt32
			if number[i+1] == '-' {
				n = -n
			}
		}
		mantissa, exponent = number[:i], n
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := bytes.TrimLeft(append(whole[:len(whole):len(whole)], fraction...), "0")
	exponent -= len(fraction)
	if len(digits) == 0 {
		return sign + "0", nil
	}
	for exponent < 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	switch {
	case exponent < 0:
		return "", errFraction
	case exponent > 40:
		exponent = 40
	}
	return sign + string(digits) + string(bytes.Repeat([]byte("0"), exponent)), nil
}

func parseFloat(value []byte) (float64, error) {
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return 0, expected("a number", value)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0, fmt.Errorf("%.40s is out of range for a number", value)
	}
	return n, nil
}

// appendFloat appends a number in its shortest form, as JavaScript writes it.
func appendFloat(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fmt.Errorf("%v is no JSON number", f)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64), nil
}

// clone copies the text of a value to keep it: a peer's message is much larger than most of its parts.
func clone(value []byte) Raw { return append(Raw(nil), value...) }
