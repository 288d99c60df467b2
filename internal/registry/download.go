package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Limits of what is downloaded and unpacked.
const (
	maxArchive       = 1 << 30 // bytes
	downloadPatience = 30 * time.Minute
	answerPatience   = time.Minute
	maxRedirects     = 5
)

// installBinary downloads an archive, checks its hash, and unpacks it.
func installBinary(ctx context.Context, in *Installation, b *BinaryTarget, folder string, m *Manifest) error {
	want, err := wantedHash(in, b)
	if err != nil {
		return err
	}
	archive, err := os.CreateTemp(folder, ".archive-*")
	if err != nil {
		return err
	}
	defer os.Remove(archive.Name())
	defer archive.Close()
	in.Report("download " + b.Archive)
	hash, err := download(ctx, in.Client, b.Archive, archive, maxArchive)
	if err != nil {
		return fmt.Errorf("download %s: %w", b.Archive, err)
	}
	if want != "" && hash != want {
		return fmt.Errorf("what came from %s has the hash %s, and not %s", b.Archive, hash, want)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	cmd := path.Clean(b.Cmd)
	if err := unpack(archive, archiveName(b.Archive), cmd, root); err != nil {
		return fmt.Errorf("unpack %s: %w", b.Archive, err)
	}
	if info, err := root.Stat(filepath.FromSlash(cmd)); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the archive has no program %s", b.Cmd)
	}
	if err := root.Chmod(filepath.FromSlash(cmd), 0o755); err != nil {
		return err
	}
	m.Program, m.Args, m.Env, m.From, m.Hash = cmd, b.Args, b.Env, b.Archive, hash
	return nil
}

// wantedHash returns the hash that an archive has to have, "" if any will do.
func wantedHash(in *Installation, b *BinaryTarget) (string, error) {
	want := in.Hash
	if want == "" && b.SHA256 != "" {
		want = b.SHA256 // with a prefix or without
	}
	if want == "" && !in.Unverified {
		return "", errors.New("nobody says which hash the archive has to have: name it with --hash sha256:..., or accept what comes with --unverified")
	}
	digits := strings.TrimPrefix(strings.ToLower(want), sha256Prefix)
	if raw, err := hex.DecodeString(digits); want != "" && (err != nil || len(raw) != sha256.Size) {
		return "", fmt.Errorf("%q is no hash of an archive, which is sha256: and %d hexadecimal digits", want, 2*sha256.Size)
	}
	if want == "" {
		return "", nil
	}
	return sha256Prefix + digits, nil
}

// archiveName is the last word of an address, by which its format is known.
func archiveName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return path.Base(u.Path)
}

// download writes what is at an address to a file, if it is not larger than a limit, and returns its hash.
func download(ctx context.Context, c *http.Client, address string, to io.Writer, limit int64) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if err := safeAddress(u); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, downloadPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	if c == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = answerPatience
		defer transport.CloseIdleConnections()
		c = &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server says %s", resp.Status)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return "", err
	case n > limit:
		return "", fmt.Errorf("it is larger than %d bytes", limit)
	}
	return sha256Prefix + hex.EncodeToString(h.Sum(nil)), nil
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return safeAddress(req.URL)
}

// safeAddress refuses what others on the way could change, save on this computer.
func safeAddress(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme == "https" || u.Scheme == "http" && local {
		return nil
	}
	return fmt.Errorf("%s is not downloaded from: it has to be https", u.Redacted())
}
