package structure_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/mcpfusion/go"

// imports is an import table: by package, what it may import.
type imports map[string][]string

// file is one parsed Go file.
type file struct {
	*ast.File
	fset  *token.FileSet
	name  string // slash-separated, from the module's root
	lines int
}

func (f file) dir() string  { return path.Dir(f.name) }
func (f file) test() bool   { return strings.HasSuffix(f.name, "_test.go") }
func (f file) public() bool { return !within(f.dir(), "internal") && f.Name.Name != "main" }

func (f file) at(n ast.Node) string {
	return f.name + ":" + strconv.Itoa(f.fset.Position(n.Pos()).Line)
}

// length is the number of lines from the first to the last of n.
func (f file) length(n ast.Node) int {
	return f.fset.Position(n.End()).Line - f.fset.Position(n.Pos()).Line + 1
}

// parseAll parses every Go file below root, those of nested modules too.
func parseAll(root fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, file{parsed, fset, name, bytes.Count(src, []byte("\n"))})
		return err
	})
	return files, err
}

// skipped are the folders that the go command leaves out, and npm's.
func skipped(dir string) bool {
	return dir == "testdata" || dir == "node_modules" || dir[0] == '.' || dir[0] == '_'
}

// within reports whether elem is one of the elements of dir.
func within(dir, elem string) bool { return slices.Contains(strings.Split(dir, "/"), elem) }

func checkImports(files []file, table imports, inTests []string) []string {
	var problems []string
	missing := map[string]bool{}
	for _, f := range files {
		allowed, listed := table[f.dir()]
		if !listed && !free(f) {
			missing[f.dir()] = true
			continue
		}
		if f.test() {
			allowed = slices.Concat(allowed, inTests)
		}
		for _, spec := range f.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			if !mayImport(f, target, allowed) {
				problems = append(problems, fmt.Sprintf("%s: %s may not import %q; see the table in structure_test.go", f.at(spec), f.dir(), target))
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(missing)) {
		problems = append(problems, dir+": the package is not in the import table; add a line for it in structure_test.go")
	}
	return problems
}

// free reports whether the package of f needs no line in the table.
func free(f file) bool { return f.dir() == "." || strings.HasPrefix(f.dir(), "examples/") }

func mayImport(f file, target string, allowed []string) bool {
	ours, isOurs := strings.CutPrefix(target, module+"/")
	switch {
	case isOurs && f.test():
		return true // the compiler refuses what would be a cycle
	case isOurs && free(f):
		return !within(ours, "internal") || ownInternal(f.dir(), ours)
	case isOurs:
		return slices.Contains(allowed, ours)
	case isStandard(target) && !inModule(target, testPkg):
		return true
	case free(f) && inModule(target, mo):
		return true // a part of the public API
	}
	return slices.ContainsFunc(allowed, func(m string) bool { return inModule(target, m) })
}

// ownInternal reports whether ours is an internal package of the example that dir is in.
func ownInternal(dir, ours string) bool {
	owner, _, _ := strings.Cut(ours, "/internal")
	return strings.HasPrefix(owner, "examples/") && inModule(dir, owner)
}

func isStandard(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return !strings.Contains(first, ".")
}

func inModule(target, module string) bool {
	return target == module || strings.HasPrefix(target, module+"/")
}

// checkPackageComments wants one of a package's files to say what the package is.
func checkPackageComments(files []file) []string {
	said, production := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		production[f.dir()] = production[f.dir()] || !f.test()
	}
	for _, f := range files {
		want := "Package " + f.Name.Name + " "
		if f.Name.Name == "main" {
			want = "Command " + path.Base(f.dir()) + " "
		}
		if f.test() == production[f.dir()] {
			continue
		}
		said[f.dir()] = said[f.dir()] || strings.HasPrefix(strings.ReplaceAll(f.Doc.Text(), "\n", " "), want)
	}
	var problems []string
	for _, dir := range slices.Sorted(maps.Keys(said)) {
		if !said[dir] {
			problems = append(problems, dir+`: no comment that begins with "Package name" or, for a program, "Command name"`)
		}
	}
	return problems
}

func checkFileLengths(files []file, limit int) []string {
	var problems []string
	for _, f := range files {
		if f.lines > limit && !ast.IsGenerated(f.File) {
			problems = append(problems, fmt.Sprintf("%s: %d lines, over %d; split it by concern", f.name, f.lines, limit))
		}
	}
	return problems
}

func checkFunctionLengths(files []file, limit int) []string {
	var problems []string
	for _, f := range files {
		if f.test() || ast.IsGenerated(f.File) {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if l := f.length(n); l > limit {
					problems = append(problems, fmt.Sprintf("%s: a function of %d lines, over %d", f.at(n), l, limit))
				}
			}
			return true
		})
	}
	return problems
}

// checkDocComments wants a comment on all that a public package exports. A comment on a
// group of declarations serves its members, and one at the end of a line serves a value
// or a field.
func checkDocComments(files []file) []string {
	var problems []string
	for _, f := range files {
		if f.test() || !f.public() {
			continue
		}
		complain := func(name *ast.Ident, docs ...*ast.CommentGroup) {
			if name.IsExported() && cmp.Or(docs...) == nil {
				problems = append(problems, fmt.Sprintf("%s: %s has no doc comment", f.at(name), name.Name))
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || receiver(d.Recv.List[0].Type).IsExported() {
					complain(d.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					checkSpec(s, d.Doc, complain)
				}
			}
		}
	}
	return problems
}

func checkSpec(s ast.Spec, group *ast.CommentGroup, complain func(*ast.Ident, ...*ast.CommentGroup)) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			complain(n, group, s.Doc, s.Comment)
		}
	case *ast.TypeSpec:
		complain(s.Name, group, s.Doc)
		if s.Name.IsExported() {
			checkMembers(s.Type, complain)
		}
	}
}

// checkMembers looks at the methods of an interface, if it has several: the comment of the
// type serves a single one. The fields of a struct are left to judgement: many say what
// they are by their name.
func checkMembers(t ast.Expr, complain func(*ast.Ident, ...*ast.CommentGroup)) {
	if t, ok := t.(*ast.InterfaceType); ok && t.Methods.NumFields() > 1 {
		for _, m := range t.Methods.List {
			for _, n := range m.Names {
				complain(n, m.Doc, m.Comment)
			}
		}
	}
}

// receiver is the name of a method's type, without pointer and type parameters.
func receiver(t ast.Expr) *ast.Ident {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("_")
		}
	}
}
