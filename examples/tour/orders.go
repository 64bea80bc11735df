package tour

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpfusion/go/result"
)

// Orders is a store of orders that needs no database.
type Orders struct {
	all  []Order
	held int
}

// NewOrders is a store with two orders.
func NewOrders() *Orders {
	return &Orders{all: []Order{
		{ID: "ord_1", Status: "open", Items: []string{"lamp"}, Internal: "margin 40%"},
		{ID: "ord_2", Status: "sent", Items: nil, Internal: "margin 10%"},
	}}
}

// Count counts the orders with a status.
func (o *Orders) Count(status string) (n int) {
	for _, order := range o.all {
		if order.Status == status {
			n++
		}
	}
	return n
}

// IDs are the ids of all orders.
func (o *Orders) IDs() []string {
	ids := make([]string, len(o.all))
	for i, order := range o.all {
		ids[i] = order.ID
	}
	return ids
}

var errDatabase = errors.New("dial tcp 10.0.0.7:5432: connection refused")

// Find finds one order. The id "broken" shows what happens to an ordinary error.
func (o *Orders) Find(id string) (Order, error) {
	if id == "broken" {
		return Order{}, errDatabase
	}
	for _, order := range o.all {
		if order.ID == id {
			return order, nil
		}
	}
	return Order{}, errNoOrder
}

// region: failure
var errNoOrder = result.NotFound("No order with that ID").
	Suggest("Search for the customer's orders first").
	Actions("orders.search")

// endregion

// Cancel cancels an order that was not sent yet.
func (o *Orders) Cancel(id string) error {
	order, err := o.Find(id)
	if err != nil {
		return err
	}
	if order.Status == "sent" {
		// region: details
		return result.Conflict("A sent order cannot be cancelled").
			Details(map[string]any{"status": order.Status}).
			Actions("orders.track")
		// endregion
	}
	return nil
}

// Track asks where an order is.
func (o *Orders) Track(ctx context.Context, id string) (string, error) {
	if _, err := o.Find(id); err != nil {
		return "", err
	}
	return "in transit", ctx.Err()
}

// Stock counts an item in the warehouses of a region.
func (o *Orders) Stock(region, item string) int {
	return map[string]int{"eu lamp": 7, "us lamp": 2}[region+" "+item]
}

// Search finds the newest orders of a customer.
func (o *Orders) Search(customer string, limit int) []Order {
	if !strings.HasSuffix(customer, "@example.com") {
		return nil
	}
	return o.all[:min(limit, len(o.all))]
}

// Label draws a label.
func (o *Orders) Label(id string) []byte { return []byte("PNG " + id) }

// Hold keeps an item for a customer and returns the id of the hold.
func (o *Orders) Hold(item string) (string, error) {
	o.held++
	return fmt.Sprintf("%s-%d", item, o.held), nil
}

// Paid reports that an order was paid.
func (o *Orders) Paid(id string) bool { return id == "ord_2" }
