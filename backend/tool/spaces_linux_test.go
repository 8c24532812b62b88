package tool_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"sekisho/backend/tooltest"
)

// noSpaces in the environment of this program says that it gets no namespaces.
const noSpaces = "SEKISHO_TEST_NO_SPACES"

// TestNoChildLivesOnWithoutNamespaces: where a PID namespace is not allowed, what has left the
// command's session ends with it all the same.
func TestNoChildLivesOnWithoutNamespaces(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestNoChildLivesOn$")
	cmd.Env = append(os.Environ(), noSpaces+"=1")
	tooltest.Lessen(cmd, tooltest.Namespaces)
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestNoChildLivesOn ")) {
		t.Errorf("%v\n%s", err, out)
	}
}
