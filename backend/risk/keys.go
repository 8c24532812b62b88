package risk

import "strings"

// keyShape is what a key of a service looks like: how it begins, and how many letters of
// keys stand behind that.
type keyShape struct {
	begins, kind string
	least        int
}

// keyShapes by the first letter; no shape begins like a shorter one before it.
var keyShapes = func() (all [256][]keyShape) {
	for _, s := range []keyShape{
		{"AKIA", "AWS", 16}, {"ASIA", "AWS", 16}, {"ghp_", "GitHub", 30}, {"gho_", "GitHub", 30}, {"ghu_", "GitHub", 30}, {"ghs_", "GitHub", 30},
		{"ghr_", "GitHub", 30}, {"github_pat_", "GitHub", 40}, {"glpat-", "GitLab", 16}, {"sk-ant-", "Anthropic", 20}, {"sk-proj-", "OpenAI", 20},
		{"sk-", "API", 32}, {"sk_live_", "Stripe", 16}, {"rk_live_", "Stripe", 16}, {"whsec_", "Stripe", 24}, {"xoxb-", "Slack", 16},
		{"xoxp-", "Slack", 16}, {"xoxa-", "Slack", 16}, {"xoxr-", "Slack", 16}, {"xoxs-", "Slack", 16}, {"xapp-", "Slack", 16},
		{"AIza", "Google", 35}, {"ya29.", "Google", 20}, {"GOCSPX-", "Google", 20}, {"npm_", "npm", 36}, {"pypi-", "PyPI", 32},
		{"SG.", "SendGrid", 40}, {"dop_v1_", "DigitalOcean", 40}, {"hf_", "Hugging Face", 30}, {"shpat_", "Shopify", 30},
		{"lin_api_", "Linear", 30},
		{"ntn_", "Notion", 40}, {"tskey-", "Tailscale", 20}, {"hvs.", "Vault", 24}, {"dckr_pat_", "Docker", 20}, {"sbp_", "Supabase", 36},
		{"figd_", "Figma", 30}, {"AGE-SECRET-KEY-", "age", 40}, {"gsk_", "Groq", 40}, {"r8_", "Replicate", 36}, {"sq0csp-", "Square", 30},
		{"doo_v1_", "DigitalOcean", 40}, {"dor_v1_", "DigitalOcean", 40}, {"glrt-", "GitLab", 16}, {"gldt-", "GitLab", 16},
		{"glptt-", "GitLab", 30},
		{"rubygems_", "RubyGems", 40}, {"ATATT3", "Atlassian", 60}, {"PMAK-", "Postman", 40}, {"pul-", "Pulumi", 40}, {"shpss_", "Shopify", 30},
		{"shpca_", "Shopify", 30}, {"sntrys_", "Sentry", 40}, {"sntryu_", "Sentry", 40}, {"xai-", "xAI", 40}, {"pplx-", "Perplexity", 40},
		{"lsv2_pt_", "LangSmith", 30},
	} {
		all[s.begins[0]] = append(all[s.begins[0]], s)
	}
	return all
}()

const armored = " PRIVATE KEY"

// keyIn finds a value shaped like a key: where it stands in a text, in bytes, and whose it
// is; "" is none. It looks at each letter once.
func keyIn(text string) (start, end int, kind string) {
	for at := 0; at < len(text); at++ {
		c := text[at]
		if c == '-' && strings.HasPrefix(text[at:], "-----BEGIN ") {
			head := text[at:min(len(text), at+64)]
			if has := strings.Index(head, armored); has >= 0 {
				return at, at + has + len(armored), "private key"
			}
		}
		if !keyLetter(c) {
			continue
		}
		stop := at
		dots := 0
		for stop < len(text) && (keyLetter(text[stop]) || text[stop] == '.') {
			if text[stop] == '.' {
				dots++
			}
			stop++
		}
		word := text[at:stop]
		if kind := keyKind(word, dots); kind != "" {
			return at, stop, kind
		}
		if last := word[len(word)-1]; last == 'y' || last == 'Y' {
			if length := namedKey(word, text[stop:]); length > 0 {
				return at, stop + length, "named as a key"
			}
		}
		if strings.HasPrefix(text[stop:], "://") {
			if length := passwordIn(text[stop+len("://"):]); length > 0 {
				return at, stop + len("://") + length, "password in an address"
			}
		}
		at = stop - 1
	}
	return 0, 0, ""
}

// keyLetter reports whether a byte stands in keys. "-" begins none, and one that stands
// before it is part of the word.
func keyLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// maxKey is more than a key has before its second part.
const maxKey = 4096

// keyKind says whose key a word is shaped like, or "".
func keyKind(word string, dots int) string {
	word = strings.TrimLeft(word, "-_")
	if len(word) < 16 || len(word) > maxKey {
		return ""
	}
	if strings.HasPrefix(word, "PuTTY-User-Key-File-") {
		return "private key"
	}
	if dots == 2 && strings.HasPrefix(word, "eyJ") && strings.Contains(word, ".eyJ") && len(word) > 60 {
		return "JWT"
	}
	for _, s := range keyShapes[word[0]] {
		rest, begins := strings.CutPrefix(word, s.begins)
		if begins && len(rest) >= s.least && !placeholder(rest) {
			return s.kind
		}
	}
	return ""
}

// namedKeys are names of keys that have no shape of their own, and how many letters these have. All end with a y.
var namedKeys = []struct {
	name   string
	length int
}{{"secret_access_key", 40}, {"secretaccesskey", 40}, {"accountkey", 86}}

// namedKey is the length of what gives such a name a value, or 0.
func namedKey(word, behind string) int {
	for _, k := range namedKeys {
		if len(word) < len(k.name) || !strings.EqualFold(word[len(word)-len(k.name):], k.name) {
			continue
		}
		rest := strings.TrimLeft(behind[:min(len(behind), 8)], "\"' \t:=")
		start := min(len(behind), 8) - len(rest)
		end := start
		for end < len(behind) && end-start <= k.length && (keyLetter(behind[end]) || behind[end] == '/' || behind[end] == '+') {
			end++
		}
		if value := behind[start:end]; start > 0 && len(value) == k.length && strings.ContainsAny(value, "0123456789") && !placeholder(value) {
			return end
		}
	}
	return 0
}

// placeholder reports whether the letters of a key are no key's: few different ones, or
// words that say so.
func placeholder(rest string) bool {
	var seen [256]bool
	different := 0
	for i := range len(rest) {
		if !seen[rest[i]] {
			seen[rest[i]] = true
			different++
		}
	}
	small := strings.ToLower(rest)
	return different < 6 || strings.Contains(small, "placeholder") || strings.Contains(small, "your_") ||
		strings.Contains(small, "your-") || strings.Contains(small, "xxxx")
}

// passwordIn is the length of a name and a password before a host, or 0.
func passwordIn(text string) int {
	text = text[:min(len(text), 300)]
	if end := strings.IndexAny(text, "/?# \t\n\"'<>"); end >= 0 {
		text = text[:end]
	}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return 0
	}
	_, password, has := strings.Cut(text[:at], ":")
	if !has || len(password) < 6 || strings.ContainsAny(password, "${}<>*") || placeholderWord(password) {
		return 0
	}
	return at
}

func placeholderWord(password string) bool {
	switch strings.ToLower(password) {
	case "password", "passwd", "secret", "postgres", "example", "changeme", "xxxxxx":
		return true
	}
	return false
}
