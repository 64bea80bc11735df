package gosdk_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/presenter"
	"github.com/mcpfusion/go/result"
	"github.com/mcpfusion/go/transport"
	"github.com/mcpfusion/go/transport/gosdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type deps struct{}

type invoice struct {
	ID     string `json:"id"`
	Cents  int64  `json:"cents"`
	Secret string `json:"secret"`
}

func nobody(context.Context, *fusion.Call) bool { return false }

func newApp() *fusion.App[deps] {
	f := fusion.New("test", "1", deps{}, &fusion.Options{Logger: slog.New(slog.DiscardHandler)})
	tools(f)
	prompts(f)
	resources(f)
	return f
}

// gives declares a tool without parameters.
func gives[T any](f *fusion.App[deps], id string, r result.Result[T]) {
	f.Query(id).Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[T] { return r })
}

func tools(f *fusion.App[deps]) {
	f.Query("get").Title("Get").Describe("Get <one>").Icon("https://x.example/i.png", "image/png", "48x48").
		Meta("com.example/k", map[string]any{"a": 1}).
		WithString("id", "The id", "min=1").
		Returns(presenter.For[invoice]("Invoice").Only("id", "cents")).
		Handle(func(ctx *fusion.Ctx[deps], in struct{ ID string }) result.Result[invoice] {
			if in.ID == "none" {
				return result.Fail[invoice](result.NotFound("gone").Actions("get", "hidden"))
			}
			ctx.Notice("noticed <&>")
			return result.OK(invoice{in.ID, 5, "secret"})
		})
	f.Action("unit").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Unit] { return result.Done() })
	gives(f, "blocks", result.OK(blocks()))
	gives(f, "no_block", result.OK([]result.Content{(*result.Text)(nil)}))
	gives(f, "bad_meta", result.OK([]result.Content{result.Text{Text: "t", Meta: map[string]any{"k": hostile{}}}}))
	gives(f, "own_response", result.OK(result.Response{Data: 5, Meta: map[string]any{"com.example/k": "v"}}))
	gives(f, "own_bad_response", result.OK(result.Response{Data: 5, Meta: map[string]any{"k": make(chan int)}}))
	gives(f, "protocol", result.Err[int](result.Protocol(42, "on purpose", map[string]any{"a": 1})))
	gives(f, "protocol_bad_data", result.Err[int](result.Protocol(42, "on purpose", hostile{})))
	f.Query("boom").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { panic("x") })
	f.Query("hidden").Describe("d").Visible(nobody).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { return result.OK(1) })
	f.Query("refused").Describe("d").Require(refuse).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[int] { return result.OK(1) })
}

func refuse(context.Context, *fusion.Call) *result.Failure { return result.Forbidden("not you") }

// hostile panics where it is encoded.
type hostile struct{}

func (hostile) MarshalJSON() ([]byte, error) { panic("hostile") }

// blocks are content of every kind, by value and by pointer, with all that each may have.
func blocks() []result.Content {
	priority := 0.5
	a := &result.Annotations{
		Audience: []result.Role{result.RoleUser, result.RoleAssistant}, Priority: &priority,
		LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("x", 3600)),
	}
	m := map[string]any{"com.example/k": map[string]any{"n": 1 << 60}}
	return []result.Content{
		result.Text{Text: "a <&> \xff", Annotations: a, Meta: m}, &result.Text{},
		result.Image{Data: []byte("png"), MIMEType: "image/png", Annotations: a, Meta: m}, &result.Image{},
		result.Audio{Data: []byte("wav"), MIMEType: "audio/wav", Annotations: a, Meta: m}, &result.Audio{},
		result.ResourceLink{URI: "x://y", Name: "y", Title: "t", Description: "d", MIMEType: "text/plain", Size: 3, Annotations: a, Meta: m},
		&result.ResourceLink{URI: "x://y", Name: "y"},
		result.EmbeddedResource{Resource: result.ResourceContents{URI: "x://z", MIMEType: "text/plain", Text: "t", Meta: m}, Annotations: a, Meta: m},
		&result.EmbeddedResource{Resource: result.ResourceContents{URI: "x://z", Text: "not sent", Blob: []byte{}}},
	}
}

func prompts(f *fusion.App[deps]) {
	f.Prompt("greet").Title("Greet").Describe("Greets").Icon("https://x.example/i.png", "image/png").Meta("com.example/k", "v").
		WithString("name", "Whom", "min=2").WithOptionalInteger("times", "How often").
		Complete("name", func(ctx *fusion.Ctx[deps], prefix string) []string {
			if prefix == "!" {
				return strings.Split(strings.Repeat("x", 150), "")
			}
			return []string{prefix + "da", string(ctx.Call.Arguments)}
		}).
		Handle(func(_ *fusion.Ctx[deps], in struct {
			Name  string
			Times *int64
		}) result.Result[[]result.Message] {
			if in.Name == "none" {
				return result.Fail[[]result.Message](result.NotFound("nobody"))
			}
			return result.OK([]result.Message{result.User("Hello " + in.Name), result.Assistant("Hi")})
		})
	f.Prompt("blocks").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.Message] {
		messages := []result.Message{}
		for _, b := range blocks() {
			messages = append(messages, result.Message{Role: result.RoleUser, Content: b})
		}
		return result.OK(messages)
	})
	f.Prompt("no_block").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[result.Message] {
		return result.OK(result.Message{Role: result.RoleUser})
	})
	f.Prompt("boom").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { panic("x") })
	f.Prompt("hidden").Describe("d").Visible(nobody).WithString("a", "a").
		Handle(func(*fusion.Ctx[deps], struct{ A string }) result.Result[string] { return result.OK("") })
	f.Prompt("refused").Describe("d").Require(refuse).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("") })
}

func resources(f *fusion.App[deps]) {
	f.Resource("test://text").Name("text").Title("Text").Describe("d").MIMEType("text/plain").Size(5).
		Annotations(result.Annotations{Audience: []result.Role{result.RoleUser}}).Icon("https://x.example/i.png", "image/png").Meta("com.example/k", "v").
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("hello") })
	f.Resource("test://blob").Describe("d").
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]byte] { return result.OK([]byte{1, 2}) })
	f.Resource("test://many").Describe("d").
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[[]result.ResourceContents] {
			return result.OK([]result.ResourceContents{{URI: "test://one", Text: "1", Meta: map[string]any{"com.example/k": 1}}, {Text: "2", MIMEType: "text/csv"}})
		})
	f.Resource("test://gone").Describe("d").
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] {
			return result.Fail[string](result.NotFound("gone"))
		})
	f.Resource("test://boom").Describe("d").Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { panic("x") })
	f.Resource("test://hidden").Describe("d").Visible(nobody).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("") })
	f.Resource("test://refused").Describe("d").Require(refuse).
		Handle(func(*fusion.Ctx[deps], fusion.NoInput) result.Result[string] { return result.OK("") })
	f.Resource("orders://{id}/lines/{line}").Name("lines").Describe("d").MIMEType("text/plain").
		Complete("id", func(_ *fusion.Ctx[deps], prefix string) []string { return []string{prefix + "1"} }).
		Handle(func(_ *fusion.Ctx[deps], in struct {
			ID   string
			Line int
		}) result.Result[string] {
			return result.OK(strings.Repeat(in.ID, in.Line))
		})
	f.Resource("secrets://{id}").Describe("d").Visible(nobody).
		Handle(func(_ *fusion.Ctx[deps], in struct{ ID string }) result.Result[string] { return result.OK(in.ID) })
}

func newServer(o *mcp.ServerOptions) *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, o)
}

// bridged is a client of an SDK server on which the app is mounted.
func bridged(t *testing.T, f *fusion.App[deps], revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	server := newServer(nil)
	require.NoError(t, gosdk.Mount(server, f))
	return clientOf(t, server, revision, o)
}

func clientOf(t *testing.T, server *mcp.Server, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Wait() })
	return connect(t, near, revision, o) // whose end ends the session
}

// native is a client of the app's own engine.
func native(t *testing.T, f *fusion.App[deps], revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	conn, err := transport.Pipe(t.Context(), f, nil)
	require.NoError(t, err)
	return connect(t, &mcp.IOTransport{Reader: io.NopCloser(conn), Writer: conn}, revision, o)
}

func connect(t *testing.T, tr mcp.Transport, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, o)
	client.AddRoots(&mcp.Root{URI: "file:///src", Name: "src"}) //nolint:staticcheck // sessions have what 2026-07-28 deprecates
	session, err := client.Connect(t.Context(), tr, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}
