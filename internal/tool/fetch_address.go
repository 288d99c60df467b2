package tool

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"syscall"
)

// Addresses that are nobody's public ones, beyond those that package netip knows: private networks of other kinds, special
// purposes, examples, and tunnels whose other end could be anything (the special-purpose address registries of IANA).
var refusedPrefixes = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"168.63.129.16/32",           // a cloud's own services, at a public address
	"64:ff9b:1::/48",             // NAT64 into networks of the operator's choice
	"2001::/23", "2001:db8::/32", // among them Teredo, which holds an address of its own
	"2620:4f:8000::/48", "3fff::/20", // AS112, examples
)

var (
	global6 = netip.MustParsePrefix("2000::/3")     // all that is given out
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // IPv4 addresses as IPv6 networks reach them
	sixToI4 = netip.MustParsePrefix("2002::/16")    // IPv6 networks behind IPv4 addresses
)

func prefixes(list ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, each := range list {
		all = append(all, netip.MustParsePrefix(each))
	}
	return all
}

// isPublic reports whether an address is one of the public Internet. An IPv4 address inside an IPv6 address is looked at
// too, since that is where the packets go.
func isPublic(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range refusedPrefixes {
		if p.Contains(a) {
			return false
		}
	}
	if a.Is4() {
		return true
	}
	bytes := a.As16()
	switch {
	case nat64.Contains(a):
		return isPublic(netip.AddrFrom4([4]byte(bytes[12:16])))
	case sixToI4.Contains(a):
		return isPublic(netip.AddrFrom4([4]byte(bytes[2:6])))
	case binary.BigEndian.Uint32(bytes[8:12])&^0x02000000 == 0x00005efe: // ISATAP
		return global6.Contains(a) && isPublic(netip.AddrFrom4([4]byte(bytes[12:16])))
	}
	return global6.Contains(a)
}

// A privateError is why a page is not fetched that is not on the public Internet.
type privateError struct{ address netip.Addr }

func (e *privateError) Error() string {
	return fmt.Sprintf("%s is no address of the public Internet, and only those are fetched; a command may do it if the user agrees", e.address)
}

// control refuses an address right before it is dialled: after its name was looked up, so that no name can stand for one
// address when it is checked and for another when it is used.
func control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address", address)
	}
	if !isPublic(to.Addr()) {
		return &privateError{to.Addr()}
	}
	return nil
}
