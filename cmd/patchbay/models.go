package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
)

// modelsCmd is `patchbay models`: what there is to choose from.
type modelsCmd struct {
	Cwd    string `placeholder:"DIR" help:"The project's folder. Default: this one."`
	Format string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Help is what `patchbay models --help` adds.
func (*modelsCmd) Help() string {
	return "The models of providers that can be used now, as far as their names are known; others can be chosen by name. The one in use has a star. Prices are in US dollars for a million tokens, as of " + catalog.AsOf + "."
}

// A listedModel is what is printed of a model.
type listedModel struct {
	Name          string  `json:"name"`
	Title         string  `json:"title,omitempty"`
	InUse         bool    `json:"inUse"`
	ContextTokens uint64  `json:"contextTokens,omitzero"`
	MaxTokens     int     `json:"maxTokens,omitzero"`
	Images        bool    `json:"images"`
	Audio         bool    `json:"audio"`
	PDF           bool    `json:"pdf"`
	Input         float64 `json:"input,omitzero"` // US dollars for a million tokens
	Output        float64 `json:"output,omitzero"`
}

// Run prints the list.
func (c *modelsCmd) Run() error {
	cfg, err := settings{}.load(c.Cwd)
	if err != nil {
		return err
	}
	used, err := cfg.Choose()
	if err != nil {
		return err
	}
	listed := []listedModel{}
	for _, choice := range catalog.Choices(cfg) {
		listed = append(listed, describeModel(cfg, choice, choice.String() == used.String()))
	}
	if c.Format == "json" {
		return printJSON(os.Stdout, listed)
	}
	return printModels(os.Stdout, listed)
}

func describeModel(cfg *config.Config, choice config.Choice, used bool) listedModel {
	m := catalog.Facts(cfg, choice)
	return listedModel{
		Name: choice.String(), Title: m.Title, InUse: used, ContextTokens: m.ContextTokens, MaxTokens: m.MaxTokens,
		Images: m.Images, Audio: m.Audio, PDF: m.PDF, Input: m.Price.Input, Output: m.Price.Output,
	}
}

func printModels(w io.Writer, listed []listedModel) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, " \tmodel\tcontext\tanswer\tinput\toutput")
	for _, m := range listed {
		star := " "
		if m.InUse {
			star = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", star, cleanLine(m.Name), count(m.ContextTokens), count(uint64(m.MaxTokens)), dollars(m.Input), dollars(m.Output))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the models: %w", err)
	}
	return nil
}

// count is a number of tokens, a dash if it isn't known.
func count(n uint64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}

// dollars is a price, a dash if it isn't known.
func dollars(usd float64) string {
	if usd == 0 {
		return "-"
	}
	return "$" + strconv.FormatFloat(usd, 'f', -1, 64)
}
