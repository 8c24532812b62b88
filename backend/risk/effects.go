package risk

import (
	"slices"
	"strings"

	"sekisho/backend/command"
	"sekisho/backend/permission"
)

// destroying says what a part destroys.
func destroying(p *command.Part) permission.RiskCode {
	verb, _, _ := strings.Cut(p.Verb, " ")
	switch {
	case p.Program == "git" && (verb == "push" || verb == "lfs"):
		return permission.RiskRewrites
	case p.Program == "git" && (verb == "rm" || verb == "clean"):
		return permission.RiskDeletes
	case p.Program == "git" && slices.Contains(histories, verb):
		return permission.RiskHistory
	case p.Program == "git":
		return permission.RiskLosesWork
	case slices.Contains(deleters, p.Program):
		return permission.RiskDeletes
	case slices.Contains(erasers, p.Program) || strings.HasPrefix(p.Program, "mkfs"):
		return permission.RiskErasesDisk
	case slices.Contains(databases, p.Program):
		return permission.RiskDropsData
	}
	return permission.RiskDestroys
}

// sending says how a part sends.
func sending(p *command.Part) permission.RiskCode {
	last := p.Verb[strings.LastIndexByte(p.Verb, ' ')+1:]
	switch {
	case slices.Contains(publishers, last):
		return permission.RiskPublishes
	case slices.Contains(carriers, p.Program):
		return permission.RiskSendsData
	}
	return permission.RiskActsElsewhere
}

var (
	histories  = strings.Fields("filter-branch filter-repo reflog update-ref prune gc fast-import replace rebase")
	deleters   = strings.Fields("rm unlink find fd fdfind shred srm rsync rmdir truncate trash")
	erasers    = strings.Fields("dd wipefs mke2fs fdisk sfdisk parted gdisk blkdiscard mkswap cryptsetup lvremove vgremove pvremove zfs zpool diskutil")
	databases  = strings.Fields("psql mysql mariadb sqlite3 sqlite duckdb sqlplus cqlsh redis-cli dropdb dropuser mysqladmin mongo mongosh clickhouse-client")
	publishers = strings.Fields("push publish upload deploy release create")
	carriers   = strings.Fields("curl wget http https xh scp sftp ftp lftp rsync rclone s3cmd gsutil nc ncat netcat socat telnet mail mailx " +
		"mutt sendmail msmtp swaks rcp tftp croc wormhole")
)
