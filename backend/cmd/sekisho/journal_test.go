package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/usage"
)

// seal gives the entries after one numbered before, each with a hash, as lines.
func seal(t testing.TB, before int64, prev string, entries ...permission.Entry) (lines []string, last string) {
	t.Helper()
	for i, e := range entries {
		e.Seq, e.PrevHash = before+int64(i)+1, prev
		if e.Data == nil {
			e.Data = json.RawMessage("{}")
		}
		var err error
		if e.Hash, err = rawjson.Sum(e.Unhashed()); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines, prev = append(lines, string(raw)), e.Hash
	}
	return lines, prev
}

func journal(t testing.TB) []string {
	id := permission.CallID("0190b6e0-0000-7000-8000-000000000000")
	lines, _ := seal(t, 0, "",
		permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson,
			Data: []byte(`{"note":"<a> & \"b\"\\ 関所 \u0001","n":9007199254740993}`)},
		permission.Entry{At: 2, Kind: permission.CallCreated, CallID: &id, Actor: "agent:a",
			Data: []byte(`{"entries":[{"x":[1,2.50,-0,1e3,true,null]}]}`)},
		permission.Entry{At: 3, Kind: permission.CallDecided, CallID: &id, Actor: permission.ActorPerson},
		permission.Entry{Kind: permission.AgentsChanged, Actor: permission.ActorPerson},
	)
	return lines
}

func page(next string, entries ...string) string {
	return `{"entries":[` + strings.Join(entries, ",") + `],"next":` + next + "}\n"
}

func check(text string, part bool) (string, error) {
	var out bytes.Buffer
	err := verify(strings.NewReader(text), &out, part, nil)
	return out.String(), err
}

func TestWholeJournals(t *testing.T) {
	j := journal(t)
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(page("null", j...)), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"lines": strings.Join(j, "\n") + "\n", "no last line end": strings.Join(j, "\n"), "windows lines": strings.Join(j, "\r\n"),
		"blank lines": strings.Join(j, "\n\n\n"),
		"array":       "[" + strings.Join(j, ", ") + "]", "page": page("null", j...), "pages": page("2", j[:2]...) + page("4", j[2:]...) +
			page("null"),
		"indented": indented.String(), "next first": `{"next":null,"entries":[` + strings.Join(j, ",") + "]}",
		"mixed": page("1", j[0]) + j[1] + "[" + j[2] + "]" + j[3],
	} {
		out, err := check(text, false)
		var last permission.Entry
		json.Unmarshal([]byte(j[3]), &last)
		if err != nil || !strings.Contains(out, "4 entries, 1 to 4") || !strings.Contains(out, "Last entry: 4, hash "+last.Hash) ||
			strings.Contains(out, "more entries follow") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if out, err := check(page("4", j...), false); err != nil || !strings.Contains(out, "more entries follow") {
		t.Errorf("unfinished: %v %s", err, out)
	}
}

func TestTheFirstBadEntryIsNamed(t *testing.T) {
	j := journal(t)
	edit := func(i int, old, new string) string {
		changed := strings.Replace(j[i], old, new, 1)
		if changed == j[i] {
			t.Fatalf("%s does not hold %s", j[i], old)
		}
		return strings.Join(append(append(append([]string{}, j[:i]...), changed), j[i+1:]...), "\n")
	}
	forged, _ := seal(t, 1, "0000", permission.Entry{Kind: permission.CallCreated, Actor: "agent:b"})
	noHash := strings.Replace(j[2], `,"hash":"`, `,"hish":"`, 1)
	for name, test := range map[string]struct{ text, want string }{
		"data changed": {edit(1, "2.50", "2.5"), "entry 2 (entry number 2 of the file, at byte " + strconv.Itoa(len(j[0])+1) +
			"): its hash"},
		"actor changed": {edit(2, `"person"`, `"agent:a"`), "entry 3 (entry number 3"},
		"hash changed":  {edit(0, `"hash":"`, `"hash":"0`), "entry 1 (entry number 1"},
		"dropped": {strings.Join([]string{j[0], j[2], j[3]}, "\n"), "entry 3 (entry number 2 of the file, at byte " +
			strconv.Itoa(len(j[0])+1) + "): it stands after entry 1: what was between"},
		"first dropped":      {strings.Join(j[1:], "\n"), "begins at entry 2"},
		"twice":              {strings.Join([]string{j[0], j[1], j[1]}, "\n"), "entry 2 (entry number 3"},
		"swapped":            {strings.Join([]string{j[0], j[2], j[1], j[3]}, "\n"), "entry 3 (entry number 2"},
		"replaced":           {strings.Join([]string{j[0], forged[0], j[2]}, "\n"), "entry 2 (entry number 2"},
		"unknown field":      {edit(2, `"kind"`, `"more":1,"kind"`), `unknown field "more"`},
		"other letter case":  {edit(2, `"kind"`, `"Kind"`), `unknown field "Kind"`},
		"missing field":      {strings.Join([]string{j[0], j[1], noHash}, "\n"), `unknown field "hish"`},
		"no hash":            {strings.Join([]string{j[0], j[1][:strings.Index(j[1], `,"hash"`)] + "}"}, "\n"), "a field is missing"},
		"duplicate key":      {edit(0, `"seq":1`, `"seq":1,"seq":1`), "duplicate key"},
		"duplicate in data":  {edit(0, `"note"`, `"n":1,"note"`), "duplicate key"},
		"seq as text":        {edit(1, `"seq":2`, `"seq":"2"`), "entry number 2 of the file"},
		"seq 0":              {edit(0, `"seq":1`, `"seq":0`), "entry number 1 of the file"},
		"bad UTF-8":          {edit(0, "関", "\xff"), "invalid UTF-8"},
		"cut in an entry":    {strings.Join(j, "\n")[:len(j[0])+40], "after entry 1 (number 1 of the file), byte"},
		"cut in a page":      {page("null", j...)[:len(j[0])+30], "after entry 1 (number 1 of the file), byte"},
		"cut before next":    {strings.TrimSuffix(page("null", j...), "null}\n"), "in the middle"},
		"no comma":           {"[" + j[0] + j[1] + "]", `byte`},
		"comma at the end":   {"[" + j[0] + ",]", "a comma before"},
		"leading comma":      {"[," + j[0] + "]", "not an entry"},
		"two commas":         {"[" + j[0] + ",," + j[1] + "]", "not an entry"},
		"bare word":          {j[0] + "\nnull", "neither an entry"},
		"entries twice":      {`{"entries":[` + j[0] + `],"entries":[]}`, "twice"},
		"page of more":       {`{"entries":[],"total":4}`, `no member`},
		"page of none":       {`{"next":null}`, "without entries"},
		"next is text":       {`{"entries":[],"next":"4"}`, "next is"},
		"next is long":       {`{"entries":[],"next":` + strings.Repeat("1", 100) + `}`, "next is"},
		"entries is null":    {`{"entries":null,"next":null}`, "is due"},
		"scalars":            {`[1,2]`, "not an entry"},
		"byte order mark":    {"\ufeff" + j[0], "neither an entry"},
		"another document":   {`{"calls":[]}`, "unknown field"},
		"empty object":       {`{}`, "a field is missing"},
		"empty":              {"", "no entry"},
		"blank":              {" \n", "no entry"},
		"empty page":         {page("null"), "no entry"},
		"brackets that lie":  {strings.Replace(j[0], `{"note"`, `["note"`, 1), "malformed"},
		"first follows some": {mustSeal(t, 0, "00"), "follows none"},
		"later follows none": {mustSeal(t, 4, ""), "none came before"},
	} {
		out, err := check(test.text, false)
		if err == nil || !strings.Contains(err.Error(), test.want) || out != "" {
			t.Errorf("%s: %v, want %q\n%s", name, err, test.want, out)
		}
		if c := (usage.Coded{}); errors.As(err, &c) {
			t.Errorf("%s: exit code %d", name, c.Code)
		}
	}
}

func mustSeal(t *testing.T, before int64, prev string) string {
	lines, _ := seal(t, before, prev, permission.Entry{Kind: permission.CallCreated, Actor: "agent:b"})
	return lines[0]
}

func TestTrimmedJournals(t *testing.T) {
	_, hash := seal(t, 0, "", permission.Entry{Kind: "a"}, permission.Entry{Kind: "b"})
	kept := []permission.Entry{{Kind: "c"}, {Kind: permission.JournalTrimmed, Actor: permission.ActorDesk,
		Data: []byte(`{"through":1,"hash":"00","removed":1}`)}, {Kind: "d"}}
	trim := func(actor, data string) string {
		lines, _ := seal(t, 2, hash, append(kept, permission.Entry{Kind: permission.JournalTrimmed, Actor: actor, Data: []byte(data)},
			permission.Entry{Kind: "e"})...)
		return strings.Join(lines, "\n")
	}
	good := fmt.Sprintf(`{"through":2,"hash":%q,"removed":1}`, hash)
	if out, err := check(trim(permission.ActorDesk, good), false); err != nil || !strings.Contains(out, "5 entries, 3 to 7") ||
		!strings.Contains(out, "as entry 6 says") {
		t.Errorf("trimmed: %v %s", err, out)
	}
	for name, text := range map[string]string{
		"another number": trim(permission.ActorDesk, strings.Replace(good, "2", "1", 1)),
		"another hash":   trim(permission.ActorDesk, `{"through":2,"hash":"00"}`),
		"another actor":  trim("agent:desk", good), "no data": trim(permission.ActorDesk, `[]`),
	} {
		if out, err := check(text, false); err == nil || !strings.Contains(err.Error(), "begins at entry 3") {
			t.Errorf("%s: %v %s", name, err, out)
		}
		if out, err := check(text, true); err != nil || !strings.Contains(out, "what came before is not in this file") {
			t.Errorf("%s as a part: %v %s", name, err, out)
		}
	}
}

// same reports whether two files of lines hold the same entries, whatever their
// white space and escapes.
func same(a, b string) bool {
	return string(canonical(a)) == string(canonical(b))
}

func canonical(lines string) (all []byte) {
	split(strings.NewReader(lines), maxEntry, func(raw []byte, _ int64) (err error) {
		all, err = rawjson.Canonical(append(all, '\n'), raw)
		return err
	})
	return all
}

func TestEveryChangedByteIsNoticed(t *testing.T) {
	whole := strings.Join(journal(t), "\n")
	for at := range whole {
		for _, to := range []byte{whole[at] ^ 1, whole[at] ^ 0x20, '"', '}', '0', ' ', whole[at] + 1} {
			changed := whole[:at] + string(to) + whole[at+1:]
			if to >= 0x80 {
				changed = whole[:at] + "\xff" + whole[at+1:]
			}
			if out, err := check(changed, false); err == nil && !same(changed, whole) {
				t.Fatalf("byte %d as %q went unnoticed: %s", at, to, out)
			}
		}
		if out, err := check(whole[:at]+whole[at+1:], false); err == nil && !same(whole[:at]+whole[at+1:], whole) {
			t.Fatalf("byte %d could be left out: %s", at, out)
		}
		if out, err := check(whole[:at], false); err == nil && whole[at] != '\n' && whole[at-1] != '\n' {
			t.Fatalf("cut at byte %d: %s", at, out)
		}
	}
}

func FuzzVerify(f *testing.F) {
	j := journal(f)
	for _, seed := range []string{strings.Join(j, "\n"), page("2", j[:2]...) + page("null", j[2:]...), "[" + j[0] + "]", "{", `{"entries":[`,
		`{"next":`, `"`, "[[", `{"a\"":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := check(text, true)
		if err == nil {
			if _, err := split(strings.NewReader(text), maxEntry, func(raw []byte, _ int64) error { return loosely(raw) }); err != nil {
				t.Errorf("whole, and yet %v", err)
			}
		}
		if c := (usage.Coded{}); errors.As(err, &c) {
			t.Errorf("read from memory, and unreadable: %v", err)
		}
	})
}

// loosely holds an entry's hash against its content by another way than verify.
func loosely(raw []byte) error {
	var e map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&e); err != nil {
		return err
	}
	hash := e["hash"]
	delete(e, "hash")
	if sum, err := rawjson.Sum(e); err != nil || sum != hash {
		return fmt.Errorf("%s hashes to %s, %w", raw, sum, err)
	}
	return nil
}

// endless gives the beginning of an entry without end.
type endless struct{ first string }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.first)
	e.first = e.first[n:]
	for i := n; i < len(p); i++ {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAnEntryWithoutEndIsGivenUp(t *testing.T) {
	for _, first := range []string{`{"seq":1,"data":"`, `[{"seq":[`, `{"`, `{"entries":[],"next":`, `{"entries":[],"`} {
		_, err := split(&endless{first}, 1<<20, func([]byte, int64) error { return nil })
		if bad := (*badFile)(nil); !errors.As(err, &bad) {
			t.Errorf("%s: %v", first, err)
		}
	}
}

// TestMemoryIsThatOfOneEntry: what was read is not kept.
func TestMemoryIsThatOfOneEntry(t *testing.T) {
	line := `{"seq":1,"data":"` + strings.Repeat("x", 1000) + `"}`
	var n int
	in := io.MultiReader(strings.NewReader("["+line), &repeat{text: "," + line, times: 20_000}, strings.NewReader("]"))
	held := 0
	if _, err := split(in, 2000, func(raw []byte, _ int64) error {
		n++
		held = max(held, cap(raw))
		return nil
	}); err != nil || n != 20_001 || held > 8000 {
		t.Errorf("%d entries, %d bytes held: %v", n, held, err)
	}
}

// repeat gives a text many times.
type repeat struct {
	text  string
	at    int
	times int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.times == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	if r.at += n; r.at == len(r.text) {
		r.at, r.times = 0, r.times-1
	}
	return n, nil
}

func TestVerifyAsACommand(t *testing.T) {
	j := journal(t)
	file := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(file, []byte(strings.Join(j, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "journal", "verify", file); err != nil || !strings.Contains(out, "Whole: 4 entries") {
		t.Errorf("verify: %v %s", err, out)
	}
	c := root()
	var out bytes.Buffer
	c.SetIn(strings.NewReader(page("null", j...)))
	c.SetOut(&out)
	c.SetArgs([]string{"journal", "verify", "-"})
	if err := c.Execute(); err != nil || !strings.Contains(out.String(), "Whole: 4 entries") {
		t.Errorf("standard input: %v %s", err, &out)
	}
	for name, args := range map[string][]string{
		"no file": {}, "two files": {file, file}, "missing": {file + "x"}, "a folder": {filepath.Dir(file)}, "unknown flag": {"--frob", file},
	} {
		_, err := run(t, append([]string{"journal", "verify"}, args...)...)
		if c := (usage.Coded{}); !errors.As(err, &c) || c.Code != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// keeper is a desk that serves entries, at most two on a page.
func keeper(t *testing.T, pages ...string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/journal", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer operators" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		after, _ := strconv.Atoi(r.URL.Query().Get("after"))
		io.WriteString(w, pages[after/2])
	})
	mux.HandleFunc("GET /v1/journal/end", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, `{"code":"unavailable","detail":"the journal is not signed"}`)
	})
	s := httptest.NewServer(proving(mux, "operators"))
	t.Cleanup(s.Close)
	t.Setenv("SEKISHO_URL", s.URL)
	t.Setenv("SEKISHO_TOKEN", "operators")
}

func TestExportIsWhatVerifyTakes(t *testing.T) {
	j := journal(t)
	keeper(t, page("2", j[:2]...), page("null", j[2:]...))
	out, err := run(t, "journal", "export")
	if err != nil || out != strings.Join(j, "\n")+"\n" {
		t.Errorf("export: %v %s", err, out)
	}
	file := filepath.Join(t.TempDir(), "journal")
	if _, err := run(t, "journal", "export", "--out", file); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "journal", "verify", file); err != nil || !strings.Contains(out, "4 entries") {
		t.Errorf("verify: %v %s", err, out)
	}
	if i, err := os.Stat(file); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v %v", i.Mode(), err)
	}
	if _, err := run(t, "journal", "export", "--out", file); err == nil {
		t.Error("an earlier export was overwritten")
	}
}

func TestAnExportThatTheTrimmingOvertookIsRefused(t *testing.T) {
	j := journal(t)
	keeper(t, page("2", j[:2]...), page("null", j[3:]...))
	file := filepath.Join(t.TempDir(), "journal")
	if _, err := run(t, "journal", "export", "--out", file); err == nil || !strings.Contains(err.Error(), "trimmed meanwhile") {
		t.Errorf("export: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("half an export was left")
	}
}
