package transport

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// guard turns away what a web page on another site sends: the Origin must be allowed, and
// on this machine's own addresses the Host too, or a page could point a name of its own at
// them (DNS rebinding). See basic/transports/streamable-http.
type guard struct {
	origins, hosts []string // in lower case; nil means the default
}

func newGuard(origins, hosts []string) guard { return guard{lower(origins), lower(hosts)} }

func lower(list []string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(strings.TrimSuffix(s, "/"))
	}
	return out
}

// check returns why a request is turned away, or nil.
func (g guard) check(r *http.Request) *refusal {
	if !g.hostAllowed(r) {
		return &refusal{http.StatusForbidden, "Host not allowed: add it to AllowedHosts"}
	}
	switch origins := r.Header["Origin"]; len(origins) {
	case 0:
		return nil
	case 1:
		if g.originAllowed(strings.ToLower(origins[0])) {
			return nil
		}
	}
	return &refusal{http.StatusForbidden, "Origin not allowed: add it to AllowedOrigins"}
}

func (g guard) originAllowed(origin string) bool {
	if g.origins != nil {
		return slices.Contains(g.origins, origin) || slices.Contains(g.origins, "*")
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
		origin == u.Scheme+"://"+u.Host && isLoopback(u.Hostname())
}

func (g guard) hostAllowed(r *http.Request) bool {
	host := hostname(r.Host)
	if g.hosts != nil {
		return slices.Contains(g.hosts, host)
	}
	return !overLoopback(r) || isLoopback(host)
}

// overLoopback reports that a request came in on an address of this machine alone.
func overLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostname is a Host header without its port, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
