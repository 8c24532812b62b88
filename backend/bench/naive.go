package main

import (
	"context"
	"database/sql"
	"regexp"
	"strings"

	"github.com/gobwas/glob"
	_ "github.com/mattn/go-sqlite3" // the driver, registered as sqlite3

	"sekisho/backend/permission"
)

// naive reads the rules from SQLite and compiles a regular expression of each, for
// every call, as the obvious program does.
func naive(ctx context.Context, list []shape, file string) (engine, error) {
	e := engine{name: "naive: rules from SQLite, a regexp each, every call", goal: "≥ 5000x", batch: 1}
	db, err := sql.Open("sqlite3", "file:"+file+"?_journal_mode=WAL")
	if err != nil {
		return e, err
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE rules (server TEXT, name TEXT, pattern TEXT, deny INTEGER)"); err != nil {
		return e, err
	}
	for _, s := range list {
		if _, err := db.ExecContext(ctx, "INSERT INTO rules VALUES (?,?,?,?)", s.server, s.name, s.text(), s.deny); err != nil {
			return e, err
		}
	}
	e.answer = func(server, tool string) (permission.Effect, error) {
		rows, err := db.QueryContext(ctx, "SELECT server, name, pattern, deny FROM rules ORDER BY deny DESC, rowid")
		if err != nil {
			return "", err
		}
		defer rows.Close()
		for rows.Next() {
			var s shape
			var pattern string
			if err := rows.Scan(&s.server, &s.name, &pattern, &s.deny); err != nil {
				return "", err
			}
			if pattern == "" {
				pattern = s.name
			}
			match, err := regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
			if err != nil {
				return "", err
			}
			if (s.server == "" || s.server == server) && match.MatchString(tool) {
				return s.effect(), nil
			}
		}
		return permission.Ask, rows.Err()
	}
	return e, nil
}

func (s shape) effect() permission.Effect {
	if s.deny {
		return permission.Deny
	}
	return permission.Allow
}

// globs asks a list of compiled globs, deny rules first.
func globs(list []shape) (engine, error) {
	e := engine{name: "gobwas/glob, a list in order", batch: 8}
	type compiled struct {
		shape
		glob *glob.Pattern
	}
	var rules []compiled
	for _, denies := range []bool{true, false} {
		for _, s := range list {
			if s.deny != denies {
				continue
			}
			g, err := glob.Compile(s.name + s.text())
			if err != nil {
				return e, err
			}
			rules = append(rules, compiled{s, g})
		}
	}
	e.answer = func(server, tool string) (permission.Effect, error) {
		for i := range rules {
			if r := &rules[i]; (r.server == "" || r.server == server) && r.glob.Match(tool) {
				return r.effect(), nil
			}
		}
		return permission.Ask, nil
	}
	return e, nil
}
