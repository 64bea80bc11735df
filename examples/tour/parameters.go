package tour

import (
	"strings"
	"time"

	"github.com/samber/mo"

	"github.com/mcpfusion/go/fusion"
	"github.com/mcpfusion/go/result"
)

// Parcel is what docs/parameters.md is about. Its profiles say what may be written when.
type Parcel struct {
	ID     string            `json:"id" fusion:"update" jsonschema:"Parcel ID"`
	To     string            `json:"to" fusion:"create,update?" jsonschema:"Address" validate:"min=5"`
	Note   mo.Option[string] `json:"note" fusion:"create,update" jsonschema:"Note for the carrier"`
	Sender string            `json:"sender" fusion:"guarded"`
}

// Parameters declares what docs/parameters.md shows.
func Parameters(f *fusion.App[Deps]) {
	// region: own-rule
	f.Rule("sku", func(s string) bool { return strings.HasPrefix(s, "AB-") && s != "AB-13" }, fusion.RuleText{
		Problem:  "is no SKU",
		Expected: "a SKU such as AB-12",
		Schema:   `{"pattern":"^AB-"}`,
	})
	f.Query("stock.level").
		Describe("Count the pieces of an item in stock").
		WithString("item", "SKU of the item", "sku").
		Handle(func(_ *fusion.Ctx[Deps], in struct{ Item string }) result.Result[int] {
			return result.OK(len(in.Item))
		})
	// endregion
	presence(f)
	between(f)
	models(f)
}

func presence(f *fusion.App[Deps]) {
	// region: presence
	type quote struct {
		Weight  int               `jsonschema:"Grams" validate:"min=1,example=500"` // required
		Insured mo.Option[int]    `jsonschema:"Insured value in cents"`             // tells 0 from absent
		Country string            `jsonschema:"Country" validate:"iso3166_1_alpha2,default=DE"`
		Labels  map[string]string `json:"labels,omitempty" jsonschema:"Labels"` // nil when absent
		Zone    *string           `jsonschema:"Tariff zone" validate:"deprecated"`
	}
	f.Query("parcels.quote").
		Describe("Quote the price of a parcel").
		Coerce(false). // "500" is no number for this tool
		Handle(func(_ *fusion.Ctx[Deps], in quote) result.Result[int] {
			return result.OK(490 + in.Weight/100 + in.Insured.OrElse(0)/1000)
		})
	// endregion
}

func between(f *fusion.App[Deps]) {
	// region: between
	type pickup struct {
		From  time.Time `jsonschema:"Earliest pickup"`
		Until time.Time `jsonschema:"Latest pickup" validate:"gtfield=From"`
		Phone *string   `jsonschema:"Phone to call" validate:"required_without=Email"`
		Email *string   `jsonschema:"Address to write to" validate:"omitempty,email"`
	}
	f.Action("parcels.pickup").
		Describe("Order a pickup").
		Handle(func(_ *fusion.Ctx[Deps], in pickup) result.Result[string] {
			return result.OK("between " + in.From.Format(time.TimeOnly) + " and " + in.Until.Format(time.TimeOnly))
		})
	// endregion
}

func models(f *fusion.App[Deps]) {
	// region: model
	f.Action("parcels.create").
		Describe("Create a parcel").
		FromModel[Parcel]("create").
		Handle(func(_ *fusion.Ctx[Deps], in Parcel) result.Result[Parcel] {
			in.ID, in.Sender = "par_1", "ann"
			return result.OK(in)
		})
	// endregion
}
