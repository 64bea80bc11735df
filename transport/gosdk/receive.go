package gosdk

import (
	"context"
	"encoding/json/v2"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// receive is the receiving middleware: what the SDK's handlers of single items cannot do.
func (b *bridge) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch r := r.(type) {
		case *mcp.CallToolRequest:
			res, err := next(ctx, method, r)
			if isError(err, fmt.Sprintf("unknown tool %q", r.Params.Name)) {
				_, err = b.callTool(ctx, r)
			}
			return res, err
		case *mcp.GetPromptRequest:
			res, err := next(ctx, method, r)
			if isError(err, fmt.Sprintf("unknown prompt %q", r.Params.Name)) {
				_, err = b.getPrompt(ctx, r)
			}
			return res, err
		case *mcp.ReadResourceRequest:
			return b.read(ctx, next, method, r)
		case *mcp.CompleteRequest:
			return b.suggest(ctx, next, method, r)
		}
		res, err := next(ctx, method, r)
		if err == nil {
			res = b.shown(ctx, method, r, res)
		}
		return res, err
	}
}

// isError recognises an error of the SDK by its message, which is all that sets it apart.
func isError(err error, message string) bool {
	e, is := errors.AsType[*jsonrpc.Error](err)
	return is && e.Message == message
}

// reachedKey finds the note of a request that it reached a bridge's handler.
type reachedKey struct{ *bridge }

// read reads a resource. The SDK's templates match less than the app's, so that one that
// the SDK does not find may still be the app's.
func (b *bridge) read(ctx context.Context, next mcp.MethodHandler, method string, r *mcp.ReadResourceRequest) (mcp.Result, error) {
	reached := false
	ctx = context.WithValue(ctx, reachedKey{b}, &reached)
	res, err := next(ctx, method, r)
	if reached || !isError(err, "Resource not found") {
		return res, err
	}
	if found, _ := b.catalog.Locate(r.Params.URI); found == nil {
		return res, err
	}
	read, err := b.readResource(ctx, r)
	if err != nil {
		return nil, err
	}
	return finished(r, read), nil
}

// finished marks a result as complete, which the SDK does behind its own handlers alone and
// lets nobody else do but by JSON.
func finished(r *mcp.ReadResourceRequest, res *mcp.ReadResourceResult) *mcp.ReadResourceResult {
	if r.ProtocolVersion() < stateless {
		return res
	}
	done := &mcp.ReadResourceResult{}
	_ = json.Unmarshal([]byte(`{"resultType":"complete","contents":[]}`), done)
	done.Meta, done.Cacheable, done.Contents = res.Meta, res.Cacheable, res.Contents
	return done
}

// suggest completes an argument of the app, or lets the server do it for its own.
func (b *bridge) suggest(ctx context.Context, next mcp.MethodHandler, method string, r *mcp.CompleteRequest) (mcp.Result, error) {
	ref := r.Params.Ref
	if !b.completes || ref == nil {
		return next(ctx, method, r)
	}
	mine := b.lists["prompts/list"].items[ref.Name]
	if ref.Type == "ref/resource" {
		mine = b.lists["resources/templates/list"].items[ref.URI]
	}
	if mine == nil {
		res, err := next(ctx, method, r)
		if e, is := errors.AsType[*jsonrpc.Error](err); !is || e.Code != jsonrpc.CodeMethodNotFound {
			return res, err
		}
	}
	return b.complete(ctx, r)
}

// shown takes what the caller may not see out of the SDK's lists, and adds what the app can
// do to what the server says of itself.
func (b *bridge) shown(ctx context.Context, method string, r mcp.Request, res mcp.Result) mcp.Result {
	switch res := res.(type) {
	case *mcp.InitializeResult:
		b.advertise(res.Capabilities)
	case *mcp.DiscoverResult:
		b.advertise(res.Capabilities)
	}
	l := b.lists[method]
	if l == nil || l.steady {
		return res
	}
	shows := b.catalog.Shows(ctx, callOf(l.kind, r))
	hidden := func(name string) bool {
		i := l.items[name]
		return i != nil && !shows(i)
	}
	private := mcp.Cacheable{CacheScope: "private"}
	switch res := res.(type) {
	case *mcp.ListToolsResult:
		own := *res
		own.Cacheable, own.Tools = private, without(own.Tools, func(t *mcp.Tool) bool { return hidden(t.Name) })
		return &own
	case *mcp.ListPromptsResult:
		own := *res
		own.Cacheable, own.Prompts = private, without(own.Prompts, func(p *mcp.Prompt) bool { return hidden(p.Name) })
		return &own
	case *mcp.ListResourcesResult:
		own := *res
		own.Cacheable, own.Resources = private, without(own.Resources, func(d *mcp.Resource) bool { return hidden(d.URI) })
		return &own
	case *mcp.ListResourceTemplatesResult:
		own := *res
		own.Cacheable, own.ResourceTemplates = private, without(own.ResourceTemplates, func(d *mcp.ResourceTemplate) bool { return hidden(d.URITemplate) })
		return &own
	}
	return res
}

func without[T any](all []*T, hidden func(*T) bool) []*T {
	return slices.DeleteFunc(slices.Clone(all), hidden)
}

func (b *bridge) advertise(c *mcp.ServerCapabilities) {
	if b.completes && c != nil && c.Completions == nil {
		c.Completions = &mcp.CompletionCapabilities{}
	}
}
