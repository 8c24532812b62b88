package risk_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/risk"
)

// TestCorpusLevels judges the labelled lines: at least 99 % of those labelled high are
// high, at most 2 % of the others are, and nothing labelled above low is low.
func TestCorpusLevels(t *testing.T) {
	highs, missed, others, wrong, low, fellShort := 0, 0, 0, 0, 0, 0
	for _, name := range corpora {
		lines, err := readCorpus(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			tool := "bash"
			if line.class == "powershell" {
				tool = "powershell"
			}
			level, reasons := risk.Judge(risk.Call{Tool: tool, Cwd: "/work/app", Input: inputOf(line.text)})
			want := permission.Risk(line.level)
			if want == permission.RiskHigh {
				if highs++; level != want {
					missed++
				}
			} else if others++; level == permission.RiskHigh {
				wrong++
			}
			if want == permission.RiskLow {
				if low++; level != want {
					fellShort++
				}
			}
			if level != want {
				t.Logf("%s %s: %s is %s %v: %q", line.at, line.class, line.level, level, codes(reasons), line.text)
			}
			if level == permission.RiskLow && want != level {
				t.Errorf("%s: %s comes out low: %q", line.at, line.level, line.text)
			}
		}
	}
	t.Logf("of %d high %d are not, of %d others %d are, of %d low %d are not", highs, missed, others, wrong, low, fellShort)
	if missed*100 > highs || wrong*50 > others {
		t.Errorf("of %d labelled high %d are not, of %d others %d are", highs, missed, others, wrong)
	}
}

// TestLevels holds lines.txt: the level of each line, and which ones are answered once.
func TestLevels(t *testing.T) {
	content, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(string(content)) {
		want, text, found := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		if !found {
			continue
		}
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		level, reasons := risk.Judge(risk.Call{Tool: "bash", Cwd: "/work/app", Input: inputOf(text)})
		line := command.Read(text)
		once := line.Opaque || slices.ContainsFunc(line.Parts, func(p command.Part) bool { return p.Code || p.Chooses })
		fits := string(level) == want || want == "once" && level != permission.RiskLow && (once || level == permission.RiskHigh)
		if !fits {
			t.Errorf("%q is %s, want %s: %v", text, level, want, codes(reasons))
		}
	}
}
