package risk

import (
	"path"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
)

const maxPath = 4096 // bytes of a path; no system takes longer ones

// resolve gives a path as far as it is known: from the root, from home (~), or from a
// folder that is not known.
func resolve(file string, folders ...string) string {
	file = home.ReplaceAllString(strings.TrimPrefix(file, "file://"), "~")
	if strings.HasPrefix(file, "~") || strings.HasPrefix(file, "/") {
		return path.Clean(file)
	}
	for _, folder := range folders {
		if file = path.Join(folder, file); strings.HasPrefix(file, "/") {
			break
		}
	}
	return file
}

var home = lazyregexp.New(`^(\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)`)

func under(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// systemFolders belong to the system; some places in them do not.
var (
	systemFolders = strings.Fields("/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /sys /proc /dev /var /System /Library /private/etc " +
		"/private/var")
	notSystem = strings.Fields("/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/tcp /dev/udp /dev/fd /dev/shm /var/tmp /var/folders " +
		"/private/var/tmp /private/var/folders /var/www")
	windows       = lazyregexp.New(`^([A-Za-z]:[\\/]|\\\\)`)
	windowsSystem = lazyregexp.New(`(?i)^[a-z]:[\\/]+(windows|program files|programdata)`)
)

// system reports whether a path lies in a folder of the system, or is the root.
func system(file string) bool {
	in := func(folder string) bool { return under(file, folder) }
	return file == "/" || file == "/*" || slices.ContainsFunc(systemFolders, in) && !slices.ContainsFunc(notSystem, in) ||
		windowsSystem.MatchString(file)
}
