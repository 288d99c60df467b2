package tool_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// packed returns so many bytes of text, packed.
func packed(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(bytes.Repeat([]byte("x"), n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Nothing is fetched but from the public Internet, by whatever notation and whatever way through IPv6.
func TestPrivateAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.15.0.1": true, "172.32.0.1": true, "100.63.0.1": true, "100.128.0.1": true, "169.253.0.1": true,
		"2606:4700::1111": true, "2a00:1450::1": true, "::ffff:8.8.8.8": true, "64:ff9b::8.8.8.8": true, "2002:808:808::1": true,

		"127.0.0.1": false, "127.1.2.3": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "100.100.100.200": false, "192.0.0.192": false, "192.0.2.1": false,
		"198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.255.255.250": false, "240.0.0.1": false,
		"255.255.255.255": false, "168.63.129.16": false, "192.88.99.1": false,

		"::": false, "::1": false, "::127.0.0.1": false, "::8.8.8.8": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false,
		"fd00:ec2::254": false, "ff02::1": false, "2001:db8::1": false, "2001::1": false, "2001:10::1": false, "3fff::1": false, "100::1": false, "5f00::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "64:ff9b::7f00:1": false, "64:ff9b::10.0.0.1": false,
		"64:ff9b:1::8.8.8.8": false, "2002:7f00:1::1": false, "2002:a00:1::": false, "2002:a9fe:a9fe::": false,
		"2a00:1450::5efe:127.0.0.1": false, "2a00:1450::200:5efe:10.0.0.1": false, "2a00:1450::200:5efe:8.8.8.8": true,
	} {
		if got := tool.IsPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public %t, want %t", text, got, want)
		}
	}
}

// The address is checked when it is dialled, after its name was looked up: nothing is sent, whatever the host is called.
func TestNothingIsSentToPrivateAddresses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }))
	t.Cleanup(server.Close)
	p := at(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"} {
		p.wantError(tool.Fetch(), `{'url':'http://`+host+`:`+port+`/'}`, "is no address of the public Internet")
	}
}

// The proxies of the environment are not used: they could go anywhere.
func TestFetchUsesNoProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was used") }))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	p := at(t)
	p.wantError(tool.Fetch(), `{'url':'http://127.0.0.1:1/'}`, "no address of the public Internet")
}
