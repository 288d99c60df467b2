package tool_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A site is a web server on this machine, and a place that may fetch from it.
type site struct {
	*place
	mux *http.ServeMux
	url string
}

// serve starts a site with pages: a path, a Content-Type and a body each.
func serve(t *testing.T, pages ...string) *site {
	t.Helper()
	s := &site{place: at(t), mux: http.NewServeMux()}
	server := httptest.NewServer(s.mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	local := tool.NewLocal(s.dir, nil)
	local.Network.Private = true
	s.env = local
	for i := 0; i < len(pages); i += 3 {
		s.mux.HandleFunc(pages[i], func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{pages[i+1]}
			if pages[i+1] == "" {
				w.Header()["Content-Type"] = nil
			}
			w.Header().Set("Content-Length", strconv.Itoa(len(pages[i+2])))
			_, _ = w.Write([]byte(pages[i+2]))
		})
	}
	return s
}

// fetch makes a call with a path of the site and further input.
func (s *site) fetch(path, more string) (*tool.Result, error) {
	s.Helper()
	return s.do(tool.Fetch(), `{'url':'`+s.url+path+`'`+more+`}`)
}

func (s *site) wantPage(path, more, summary, body string) {
	s.Helper()
	r, err := s.fetch(path, more)
	if err != nil {
		s.Error(err)
		return
	}
	s.wantText(r, s.url+path+" answered "+summary+"\n"+body)
}

func (s *site) wantFailure(path, more, want string) {
	s.Helper()
	if r, err := s.fetch(path, more); err == nil || !strings.Contains(err.Error(), want) {
		s.Errorf("%s: got %+v and error %v, want one with %q", path, r, err, want)
	}
}

const html = `<!DOCTYPE html><html><head><title>T</title><style>p{}</style><base href="/docs/"></head><body>
<h1>Head &amp; tail</h1><script>alert(1)</script><p>Some   <b>bold</b> text
with <a href="x.html?a=b">a link</a>.</p><ul><li>one<li>two</ul><pre>a  b
c</pre><table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`

// HTML becomes Markdown with absolute links, text, or stays as it is; other text always does.
func TestFetchFormats(t *testing.T) {
	s := serve(t, "/a/page", "text/html; charset=utf-8", html, "/json", "application/json", `{"a":"ä"}`,
		"/feed", "application/atom+xml", "<feed/>", "/none", "", "plain words", "/empty", "text/plain", "")
	size := fmt.Sprintf("200 OK with %d bytes of text/html", len(html))
	s.wantPage("/a/page", "", size, "# Head & tail\n\nSome **bold** text with [a link]("+s.url+"/docs/x.html?a=b).\n\n- one\n- two\n\n```\na  b\nc\n```\n\n"+
		"| k | v |\n|---|---|\n| 1 | 2 |")
	s.wantPage("/a/page", `,'format':'text'`, size, "Head & tail\nSome bold text with a link.\none\ntwo\na  b\nc\nk\nv\n1\n2\n")
	s.wantPage("/a/page", `,'format':'raw'`, size, html)
	s.wantPage("/json", "", "200 OK with 10 bytes of application/json", `{"a":"ä"}`)
	s.wantPage("/feed", "", "200 OK with 7 bytes of application/atom+xml", "<feed/>")
	s.wantPage("/none", "", "200 OK with 11 bytes of text/plain", "plain words")
	s.wantPage("/empty", "", "200 OK with 0 bytes of text/plain; it has no text", "")
}

// Text is UTF-8 for the model, whatever it was: as the server says, as the page says, or as it looks.
func TestFetchEncodings(t *testing.T) {
	s := serve(t, "/header", "text/plain; charset=iso-8859-1", "caf\xe9", "/meta", "text/html", "<meta charset=shift_jis><p>\x93\xfa\x96\x7b</p>",
		"/guess", "text/plain", "caf\xe9", "/utf8", "text/plain", "café", "/bom", "text/plain", "\ufeffcafé", "/utf16", "text/plain", "\xff\xfec\x00a\x00f\x00\xe9\x00",
		"/unknown", "text/plain; charset=klingon", "x")
	for path, want := range map[string]string{
		"/header": "café", "/meta": "日本", "/guess": "café", "/utf8": "café", "/bom": "café", "/utf16": "café", "/unknown": "x",
	} {
		r, err := s.fetch(path, "")
		if err != nil {
			t.Error(path, err)
			continue
		}
		if _, body, _ := strings.Cut(r.Text, "\n"); body != want {
			t.Errorf("%s: got %q, want %q", path, body, want)
		}
	}
}

// What is no text is refused, and said to be.
func TestFetchRefusesWhatIsNoText(t *testing.T) {
	s := serve(t, "/zip", "application/zip", "PK", "/zero", "text/plain; charset=utf-8", "a\x00b", "/odd", "a b c", "x")
	s.wantFailure("/zip", "", "it is application/zip, which is no text")
	s.wantFailure("/zero", "", "has zero bytes")
	s.wantFailure("/odd", "", "unreadable type")
}

const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"

// An image is shown to the model and to people, whole or not at all.
func TestFetchImages(t *testing.T) {
	s := serve(t, "/a.png", "image/png", pixel, "/b.png", "image/png", "sorry", "/c.png", "", pixel, "/d.svg", "image/svg+xml", "<svg/>", "/e.tiff", "image/tiff", "II*\x00")
	for _, path := range []string{"/a.png", "/c.png"} {
		r, err := s.fetch(path, "")
		if err != nil {
			t.Fatal(path, err)
		}
		s.wantText(r, s.url+path+" answered 200 OK with 20 bytes of image/png\n")
		if len(r.Images) != 1 || r.Images[0].MIMEType != "image/png" || r.Images[0].Data != base64.StdEncoding.EncodeToString([]byte(pixel)) || len(r.Content) != 2 {
			t.Errorf("%s: images %+v, content %v", path, r.Images, r.Content)
		}
	}
	s.wantFailure("/a.png", `,'max_bytes':19`, "an image of more than 19 bytes")
	s.wantFailure("/b.png", "", "no image that can be shown")
	s.wantFailure("/e.tiff", "", "is image/tiff, which is no text")
	s.wantPage("/d.svg", "", "200 OK with 6 bytes of image/svg+xml", "<svg/>")
}

// A page is cut at the limit, and its text given in parts, both before a character and never without a word about it.
func TestFetchLimits(t *testing.T) {
	s := serve(t, "/long", "text/plain", strings.Repeat("ä", 50_000))
	s.mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat("x", 1<<10))); err != nil {
				return
			}
		}
	})
	s.wantPage("/long", `,'max_bytes':5`, "200 OK with 5 bytes of text/plain; that is the beginning of 100000 bytes", "ää")
	s.wantPage("/long", "", "200 OK with 100000 bytes of text/plain; these are the bytes 0 to 65536 of the 100000 bytes of its text", strings.Repeat("ä", 32_768))
	s.wantPage("/long", `,'offset':65536`, "200 OK with 100000 bytes of text/plain; these are the bytes 65536 to 100000 of the 100000 bytes of its text", strings.Repeat("ä", 17_232))
	s.wantPage("/long", `,'offset':99997`, "200 OK with 100000 bytes of text/plain; these are the bytes 99998 to 100000 of the 100000 bytes of its text", "ä")
	s.wantFailure("/long", `,'offset':100001`, "its text has 100000 bytes, and offset is 100001")
	s.wantPage("/endless", `,'max_bytes':10`, "200 OK with 10 bytes of text/plain; that is the beginning of more", "xxxxxxxxxx")
	r, err := s.fetch("/long", "")
	if err != nil || len(r.Content) != 1 {
		t.Fatal(r, err)
	}
}

// A page that unpacks to more than the limit is cut like any other.
func TestFetchUnpacks(t *testing.T) {
	s := serve(t)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("nothing packed is wanted")
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed(t, 10<<20))
	})
	r, err := s.fetch("/", "")
	if err != nil || !strings.Contains(r.Text, "with 1048576 bytes of text/plain; that is the beginning of more") {
		t.Errorf("got %.200v and error %v", r, err)
	}
}

// Redirects are followed on the same host, so many and no more. One elsewhere is for the model to see and the user to allow.
func TestFetchRedirects(t *testing.T) {
	s := serve(t, "/end", "text/plain", "here")
	for i := range 7 {
		s.mux.HandleFunc(fmt.Sprintf("/%d", i), func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, fmt.Sprintf("/%d", i-1), http.StatusFound)
		})
	}
	to := func(path, target string) {
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	}
	to("/-1", "/end")
	to("/elsewhere", "http://elsewhere.example/x")
	to("/file", "file:///etc/passwd")
	to("/user", strings.Replace(s.url, "//", "//ann:secret@", 1)+"/end")
	r, err := s.fetch("/3", "")
	if err != nil || !strings.HasPrefix(r.Text, s.url+"/end answered 200 OK") {
		t.Errorf("got %+v and error %v", r, err)
	}
	s.wantFailure("/6", "", "after 5 redirects, which is where it ends")
	s.wantFailure("/elsewhere", "", "it redirects to http://elsewhere.example/x, which is another host: fetch that if you want it")
	s.wantFailure("/file", "", `its scheme is "file"`)
	s.wantFailure("/user", "", "user name or password")
	if _, err := s.fetch("/user", ""); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got error %v", err)
	}
}

// A page that the server refuses is a failure with what it says.
func TestFetchStatus(t *testing.T) {
	s := serve(t)
	s.mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "it was here", http.StatusGone) })
	s.mux.HandleFunc("/image", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.WriteHeader(http.StatusInternalServerError)
	})
	r, err := s.fetch("/gone", "")
	if err != nil || !r.Failed {
		t.Fatalf("got %+v and error %v", r, err)
	}
	s.wantText(r, s.url+"/gone answered 410 Gone with 12 bytes of text/plain\nit was here\n")
	if r, err = s.fetch("/image", ""); err != nil || !r.Failed || !strings.Contains(r.Text, "answered 500") {
		t.Errorf("got %+v and error %v", r, err)
	}
}

// A server that takes for ever is left, before its answer and within it; so is one whose turn is cancelled.
func TestFetchTakesNotForEver(t *testing.T) {
	s := serve(t)
	hang := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("half of"))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}
	s.mux.HandleFunc("/", hang)
	s.env.(*tool.Local).Network.Timeout = 50 * time.Millisecond
	s.wantFailure("/", "", "it took longer than 50ms")
	s.wantFailure("/half", "", "it took longer than 50ms")
	s.env.(*tool.Local).Network.Timeout = time.Hour
	for _, path := range []string{"/", "/half"} {
		job, err := s.prepare(tool.Fetch(), `{'url':'`+s.url+path+`'}`)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := job.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got error %v", path, err)
		}
		cancel()
	}
}

// A connection that breaks in the middle of a page is no page.
func TestFetchBrokenOff(t *testing.T) {
	s := serve(t)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half"))
	})
	s.wantFailure("/", "", "its text broke off after 4 bytes")
}

func TestFetchRefusesBadInput(t *testing.T) {
	p := at(t)
	for input, want := range map[string]string{
		`{}`:                                               `missing properties: ["url"]`,
		`{'url':'example.com'}`:                            "only http and https",
		`{'url':'file:///etc/passwd'}`:                     "only http and https",
		`{'url':'http://'}`:                                "no host",
		`{'url':'http://a:b@example.com/'}`:                "user name or password",
		`{'url':'http://[::1'}`:                            "missing ']'",
		`{'url':'http://example.com','format':'pdf'}`:      "pdf does not equal any of",
		`{'url':'http://example.com','max_bytes':0}`:       "0 is less than 1",
		`{'url':'http://example.com','max_bytes':9999999}`: "is greater than 8388608",
		`{'url':'http://example.com','offset':-1}`:         "-1 is less than 0",
	} {
		p.wantError(tool.Fetch(), input, want)
	}
}

// The user sees all of an address before anything is sent there.
func TestAddressesAreShown(t *testing.T) {
	p := at(t)
	long := "https://WWW.Example.com:8443/?" + strings.Repeat("x", 300)
	job, content := p.preview(tool.Fetch(), `{'url':'`+long+`#part'}`)
	if job.Call.URL != long || len(job.Title) > 220 || len(content) != 1 {
		t.Errorf("wants %+v, title %q, content %v", job.Call, job.Title, content)
	}
	if job, content = p.preview(tool.Fetch(), `{'url':'http://example.org/a b'}`); job.Title != "Fetch http://example.org/a%20b" || content != nil {
		t.Errorf("title %q, content %v", job.Title, content)
	}
}
