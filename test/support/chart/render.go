// Renders the Helm chart as Helm does, for tests on machines without Helm: the same template engine and functions, from
// Debian's packages golang-go, golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev.
// `render <folder of the chart> < values` prints the objects. Values that a template names and nobody sets are an error.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type values = map[string]interface{}

// The files of the chart, as templates read them.
type files string

func (folder files) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(string(folder), name))
	if err != nil {
		return ""
	}
	return string(text)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(text []byte) values {
	parsed := values{}
	must(yaml.Unmarshal(text, &parsed))
	return parsed
}

func read(name string) []byte {
	text, err := os.ReadFile(name)
	must(err)
	return text
}

// Lays values over defaults: maps are merged, and null removes a default.
func merge(defaults, given values) values {
	for name, value := range given {
		inner, isMap := value.(values)
		below, wasMap := defaults[name].(values)
		if value == nil {
			delete(defaults, name)
		} else if isMap && wasMap {
			defaults[name] = merge(below, inner)
		} else {
			defaults[name] = value
		}
	}
	return defaults
}

func functions(all *template.Template) template.FuncMap {
	functions := sprig.TxtFuncMap()
	// Helm has neither.
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, errors.New(message)
		}
		return value, nil
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	return functions
}

func main() {
	folder := os.Args[1]
	given, err := io.ReadAll(os.Stdin)
	must(err)
	chart := values{}
	// Templates name the fields of the chart with a capital.
	for name, value := range parse(read(filepath.Join(folder, "Chart.yaml"))) {
		chart[strings.ToUpper(name[:1])+name[1:]] = value
	}
	data := values{
		"Values":  merge(parse(read(filepath.Join(folder, "values.yaml"))), parse(given)),
		"Chart":   chart,
		"Files":   files(folder),
		"Release": values{"Name": "mail", "Namespace": "messages", "Service": "Helm", "IsInstall": true, "IsUpgrade": false},
	}
	names, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	must(err)
	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	for _, name := range names {
		_, err = all.New(filepath.Base(name)).Parse(string(read(name)))
		must(err)
	}
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		fmt.Printf("---\n# Source: %s\n", filepath.Base(name))
		must(all.ExecuteTemplate(os.Stdout, filepath.Base(name), data))
	}
}
