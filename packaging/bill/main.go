// Bill says what is in programs as they were built: bill -out DIR PROGRAM… writes their
// modules, the front end's packages and SQLite as a CycloneDX document (sbom.cdx.json), and
// the texts of all their licences (third-party.txt). It ends with an error when a part has no
// licence that it knows. It is run in the folder of the product's go.mod.
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// part is something of others that a program holds.
type part struct {
	name, version string
	url           string // package URL
	licence       string // SPDX
	text          string
}

func main() {
	out := flag.String("out", "", "folder to write into")
	version := flag.String("version", "", "version of the product")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*out, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bill:", err)
		os.Exit(1)
	}
}

func write(out, version string, programs []string) error {
	parts, err := modules(programs)
	if err != nil {
		return err
	}
	packages, err := npm("frontend")
	if err != nil {
		return err
	}
	parts = append(parts, packages...)
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.url, b.url) })
	for _, p := range parts {
		if p.licence == "" {
			err = errors.Join(err, fmt.Errorf("%s %s has no licence that is known", p.name, p.version))
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(out, "third-party.txt"), []byte(texts(parts)), 0o644),
		document(filepath.Join(out, "sbom.cdx.json"), version, parts))
}

// modules are those that the programs were linked of, with the standard library.
func modules(programs []string) ([]part, error) {
	linked := map[string]part{}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, fmt.Errorf("read what %s is made of: %w", program, err)
		}
		std := strings.TrimPrefix(info.GoVersion, "go")
		linked["std"] = part{name: "Go standard library", version: std, url: "pkg:golang/std@" + std}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			linked[m.Path] = part{name: m.Path, version: m.Version, url: "pkg:golang/" + m.Path + "@" + m.Version}
		}
	}
	var parts []part
	for path, p := range linked {
		folder, err := source(path, p.version)
		if err != nil {
			return nil, err
		}
		p.licence, p.text = licence(folder)
		parts = append(parts, p)
		if path == "github.com/mattn/go-sqlite3" {
			lite, err := sqlite(folder)
			if err != nil {
				return nil, err
			}
			parts = append(parts, lite)
		}
	}
	return parts, nil
}

// source is the folder of a module's files.
func source(path, version string) (string, error) {
	if path == "std" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		return strings.TrimSpace(string(root)), err
	}
	said, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	var m struct{ Dir string }
	if err := errors.Join(err, json.Unmarshal(said, &m)); err != nil {
		return "", fmt.Errorf("find the module %s: %w", path, err)
	}
	return m.Dir, nil
}

var sqliteVersion = regexp.MustCompile(`#define SQLITE_VERSION +"([0-9.]+)"`)

// sqlite is the library whose source the module brings along.
func sqlite(folder string) (part, error) {
	header, err := os.ReadFile(filepath.Join(folder, "sqlite3-binding.h"))
	version := sqliteVersion.FindSubmatch(header)
	if err != nil || version == nil {
		return part{}, fmt.Errorf("find the version of SQLite: %w", err)
	}
	v := string(version[1])
	return part{name: "SQLite", version: v, url: "pkg:generic/sqlite@" + v, licence: "blessing",
		text: "The authors of SQLite have dedicated it to the public domain: https://sqlite.org/copyright.html\n"}, nil
}

// npm are the packages that the page is made of: those that its lock has for more than
// development.
func npm(folder string) (parts []part, err error) {
	raw, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	var lock struct {
		Packages map[string]struct {
			Version  string
			Dev      bool
			DevOnly  bool `json:"devOptional"`
			Optional bool
		}
	}
	if err := errors.Join(err, json.Unmarshal(raw, &lock)); err != nil {
		return nil, fmt.Errorf("read the lock of the page's packages: %w", err)
	}
	for place, p := range lock.Packages {
		if place == "" || p.Dev || p.DevOnly || p.Optional {
			continue
		}
		name := place[strings.LastIndex(place, "node_modules/")+len("node_modules/"):]
		spdx, text := licence(filepath.Join(folder, place))
		parts = append(parts, part{name: name, version: p.Version, licence: spdx, text: text,
			url: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version})
	}
	return parts, nil
}

// known are licences by words that no other has.
var known = []struct{ spdx, words string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation"},
	{"MIT", "PERMISSION is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation"},
	{"BSD-3-Clause", "SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only"}, // the one that is taken of the two
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
}

// legal are the names of the files that say what one may do.
var legal = regexp.MustCompile(`(?i)^(LICEN|COPYING|NOTICE|PATENTS)`)

// licence reads the licence files of a folder.
func licence(folder string) (spdx, text string) {
	entries, _ := os.ReadDir(folder) // a folder that cannot be read has no licence, which is an error
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", ""
		}
		text += strings.ReplaceAll(string(raw), "\r\n", "\n") + "\n"
	}
	words := strings.Join(strings.Fields(text), " ")
	for _, l := range known {
		if strings.Contains(words, l.words) {
			return l.spdx, text
		}
	}
	return "", ""
}

func texts(parts []part) string {
	var b strings.Builder
	b.WriteString("What the programs of Sekisho hold that others have written, and under which licence.\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n\n%s", strings.Repeat("=", 78), p.name, p.version, p.licence, p.text)
	}
	return b.String()
}

// document writes the bill as CycloneDX, at the time of the commit.
func document(name, version string, parts []part) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: time.Unix(seconds, 0).UTC().Format(time.RFC3339),
		Component: &cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: "sekisho", Name: "sekisho", Version: version,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}}},
	}
	components, refs := []cdx.Component{}, []string{}
	for _, p := range parts {
		refs = append(refs, p.url)
		components = append(components, cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: p.url, Name: p.name, Version: p.version,
			PackageURL: p.url, Licenses: &cdx.Licenses{{License: &cdx.License{ID: p.licence}}}})
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: "sekisho", Dependencies: &refs}}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom), file.Close())
}
