package protocol

import "net/http"

// claimsStateless reports that a message belongs to the stateless revision: it names its
// version itself, or a header says so, see basic/versioning.
func (x *exchange) claimsStateless() bool {
	if x.msg.params.meta.protocolVersion != nil {
		return true
	}
	version, _ := headerValue(x.in.Header, headerVersion)
	return parseRevision(version).stateless()
}

// checkStateless makes the checks of a stateless request that come before its method: the
// version first, for it decides what the rest means.
func (x *exchange) checkStateless() *fault {
	meta := &x.msg.params.meta
	if !isString(meta.protocolVersion) {
		return missingMeta(`"io.modelcontextprotocol/protocolVersion" must name the protocol version`)
	}
	version := unquote(meta.protocolVersion)
	if f := x.checkVersionHeader(version); f != nil {
		return f
	}
	if x.rev = parseRevision(version); !x.rev.stateless() {
		return unsupportedVersion(version)
	}
	if !isObject(meta.clientCapabilities) {
		return missingMeta(`"io.modelcontextprotocol/clientCapabilities" must be an object`)
	}
	if _, known := readLogLevel(meta.logLevel); !known && !isAbsent(meta.logLevel) {
		return badLogLevel
	}
	return x.checkMirrors()
}

// missingMeta answers a request without what each one must have in params._meta.
func missingMeta(what string) *fault {
	f := invalidParams("Invalid params: in params._meta, " + what)
	f.status = http.StatusBadRequest
	return f
}

// unsupportedVersion lets the client choose another version, see basic/versioning.
func unsupportedVersion(requested []byte) *fault {
	e := encoder{dst: []byte(`{"supported":[`)}
	for i, version := range supported {
		if i > 0 {
			e.raw(",")
		}
		e.text(version)
	}
	e.raw(`],"requested":`)
	e.dst = append(appendString(e.dst, requested), '}')
	return &fault{code: codeVersion, message: "Unsupported protocol version", data: e.dst, status: http.StatusBadRequest}
}
