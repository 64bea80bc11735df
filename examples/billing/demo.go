package main

import (
	"bufio"
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpfusion/go/examples/billing/invoices"
	"github.com/mcpfusion/go/examples/billing/toolset"
	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/transport"
)

// demo prints an agent's session: real requests and replies, over a connection in
// memory, on invoices of its own.
func demo(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "billing-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := invoices.OpenStore(filepath.Join(dir, "invoices.json"))
	if err != nil {
		return err
	}
	app := toolset.New(toolset.Deps{Invoices: store}, &fusion.Options{Logger: slog.New(slog.DiscardHandler)})
	conn, err := transport.Pipe(ctx, app, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	agent := &agent{conn: conn, replies: bufio.NewReader(conn), out: out}
	return agent.session()
}

// agent is a client that prints what it sends and what comes back.
type agent struct {
	conn    io.Writer
	replies *bufio.Reader
	out     io.Writer
	id      int
}

func (a *agent) session() error {
	a.say("An agent connects.")
	if _, err := a.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"demo-agent","version":"1"}}`); err != nil {
		return err
	}
	if err := a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return err
	}
	a.say("It asks which tools there are.")
	if err := a.list(); err != nil {
		return err
	}
	a.say("It lists the invoices. The list is cut; the model reads how to go on, a person sees a table.")
	if err := a.call("billing_list_invoices", `{}`); err != nil {
		return err
	}
	a.say("It refunds an invoice. The reply has what the presenter allows: no email address.")
	if err := a.call("billing_refund", `{"id":"inv_1","amount_cents":2500,"reason":"customer_request"}`); err != nil {
		return err
	}
	a.say("It uses an id that does not exist. The failure names the tool that helps …")
	if err := a.call("billing_refund", `{"id":"inv_99","amount_cents":500}`); err != nil {
		return err
	}
	a.say("… so it lists the paid invoices and tries again.")
	if err := a.call("billing_list_invoices", `{"status":"paid"}`); err != nil {
		return err
	}
	if err := a.call("billing_refund", `{"id":"inv_3","amount_cents":500}`); err != nil {
		return err
	}
	a.say("It sends wrong arguments. The failure names every problem at once …")
	if err := a.call("billing_refund", `{"invoice":"inv_3","amount_cents":"7.50","reason":"unhappy"}`); err != nil {
		return err
	}
	a.say("… so the next call is right.")
	return a.call("billing_refund", `{"id":"inv_3","amount_cents":750,"reason":"customer_request"}`)
}

func (a *agent) say(text string) { fmt.Fprintf(a.out, "\n# %s\n", text) }

// list prints the names and descriptions rather than whole schemas.
func (a *agent) list() error {
	reply, err := a.request("tools/list", `{}`)
	if err != nil {
		return err
	}
	var list struct {
		Result struct {
			Tools []struct{ Name, Description string } `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(reply, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		return err
	}
	for _, tool := range list.Result.Tools {
		fmt.Fprintf(a.out, "   %-22s %s\n", tool.Name, tool.Description)
	}
	return nil
}

// call prints what the model reads and what a person sees.
func (a *agent) call(tool, arguments string) error {
	reply, err := a.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if err != nil {
		return err
	}
	var called struct {
		Result struct {
			Content []block `json:"content"`
		} `json:"result"`
	}
	if err := json.Unmarshal(reply, &called); err != nil {
		return err
	}
	if len(called.Result.Content) == 0 {
		return fmt.Errorf("unexpected reply: %s", reply)
	}
	for _, b := range called.Result.Content {
		if err := b.print(a.out); err != nil {
			return err
		}
	}
	return nil
}

// block is a text block of a reply.
type block struct {
	Text        string `json:"text"`
	Annotations struct {
		Audience []string `json:"audience"`
	} `json:"annotations"`
}

// print shows JSON to the model and Markdown to a person.
func (b block) print(out io.Writer) error {
	if slices.Contains(b.Annotations.Audience, "user") {
		_, err := fmt.Fprintf(out, "   A person sees:\n   %s\n", strings.ReplaceAll(b.Text, "\n", "\n   "))
		return err
	}
	text := jsontext.Value(b.Text)
	if err := text.Indent(jsontext.WithIndentPrefix("   "), jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "   %s\n", text)
	return err
}

func (a *agent) request(method, params string) ([]byte, error) {
	a.id++
	if err := a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.id, method, params)); err != nil {
		return nil, err
	}
	reply, err := a.replies.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.out, "←  %s\n", clip(string(reply), 180))
	return reply, nil
}

func (a *agent) send(message string) error {
	fmt.Fprintf(a.out, "→  %s\n", message)
	_, err := io.WriteString(a.conn, message+"\n")
	return err
}

// clip keeps a line readable.
func clip(line string, n int) string {
	runes := []rune(strings.TrimSpace(line))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + " …"
}
