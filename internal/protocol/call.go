package protocol

import (
	"log/slog"

	"github.com/mcpfusion/go/internal/catalog"
	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// callTool answers tools/call, see server/tools.
func callTool(x *exchange, dst []byte) ([]byte, *fault) {
	c, f := x.namedCall(middleware.KindTool)
	if f != nil {
		return dst, f
	}
	if f := x.checkParamHeaders(c); f != nil {
		return dst, f
	}
	return x.dispatch(dst, c)
}

// dispatch makes a call and appends the result.
func (x *exchange) dispatch(dst []byte, c *middleware.Call) ([]byte, *fault) {
	x.called = c
	if f := x.recall(c); f != nil {
		return dst, f
	}
	if x.flight != nil {
		x.dialog.x, x.flight.line = x, &x.dialog
	}
	if x.busy {
		x.reply = x.srv.catalog.Refuse(x.ctx, c, errBusy)
	} else {
		x.reply = x.srv.catalog.Call(x.ctx, c)
	}
	return x.result(dst, x.reply)
}

var errBusy = result.Overloaded("The server runs as many calls as it can. Try again in a moment")

// namedCall reads the parameters of a call to a tool or a prompt. What is wrong with the
// arguments themselves is for it to say.
func (x *exchange) namedCall(kind middleware.Kind) (*middleware.Call, *fault) {
	p := &x.msg.params
	if !isString(p.name) {
		return nil, invalidParams(`Invalid params: "name" must be the name of a ` + string(kind))
	}
	if !isAbsent(p.arguments) && !isObject(p.arguments) {
		return nil, invalidParams(`Invalid params: "arguments" must be an object`)
	}
	c := x.call(kind)
	name := unquote(p.name)
	if t := x.srv.catalog.Find(string(name)); t != nil { // a name that is there already
		c.Name = t.Name
	} else {
		c.Name = string(name)
	}
	if isObject(p.arguments) {
		c.Arguments = p.arguments
	}
	return c, nil
}

// result appends what a call replied.
func (x *exchange) result(dst []byte, reply *catalog.Reply) ([]byte, *fault) {
	if reply.Fault != nil {
		return x.failed(dst, reply)
	}
	var err error
	if reply.Pending != nil {
		err = x.pend(reply.Pending)
	}
	e := encoder{dst: dst, rev: x.rev}
	if err == nil {
		err = e.reply(reply, x.srv.info[x.rev])
	}
	switch {
	case err != nil && reply.Pending != nil: // nothing was carried out
		return x.failed(dst, x.srv.catalog.Refuse(x.ctx, x.called, err))
	case err != nil:
		return x.failed(dst, x.srv.catalog.Unsendable(x.ctx, x.called, err))
	}
	return e.dst, nil
}

// failed appends a failure that takes the place of what could not be sent. It has nothing
// but text, which can always be encoded. Calls whose results have no room for failures get
// an error.
func (x *exchange) failed(dst []byte, reply *catalog.Reply) ([]byte, *fault) {
	if reply.Fault != nil {
		f, err := onPurpose(reply.Fault, x.rev)
		if err != nil {
			scope.Log(x.ctx, x.srv.log, slog.LevelError, "the data of an error cannot be encoded", string(x.called.Kind), x.called.Name, "error", err)
		}
		return dst, f
	}
	e := encoder{dst: dst, rev: x.rev}
	_ = e.reply(reply, x.srv.info[x.rev])
	return e.dst, nil
}
