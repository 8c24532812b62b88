package rest

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

type (
	problem = restwire.Problem
	detail  = restwire.Detail
)

// What callers see of restwire.
const (
	refPrefix = "#/components/schemas/"

	maxBody     = 32 << 20
	maxOpenBody = 64 << 10
	maxDetails  = 20
	bodyGrace   = 20 * time.Second
	turns       = 64
	maxQueued   = 1024
	maxPolls    = 1024
	maxStreams  = 64

	codeUnauthorized permission.Code = "unauthorized"
	codeMethod       permission.Code = "method_not_allowed"
	codeMediaType    permission.Code = "unsupported_media_type"
	codeTooLarge     permission.Code = "too_large"
	codeBusy         permission.Code = "too_many_requests"
	codeInternal     permission.Code = "internal"
	internalMessage                  = "something went wrong in the desk; its log says what"
)

// served lists the rows that a door has, as methods and paths.
func served(door *Handler) (rows []string) {
	for path, at := range reflect.ValueOf(door.api).Elem().FieldByName("table").Elem().FieldByName("paths").Seq2() {
		for method := range at.Elem().FieldByName("rows").Seq() {
			rows = append(rows, method.String()+" "+path.String())
		}
	}
	return rows
}

// lanesLeft counts the agents that have something under way.
func lanesLeft(door *Handler) int {
	return reflect.ValueOf(door.api.Lanes).Elem().FieldByName("of").Len()
}

// admits reports whether the document lets a role use a row.
func admits(op *huma.Operation, role restwire.Who) bool {
	for _, requirement := range op.Security {
		if _, ok := requirement[string(role)]; ok {
			return true
		}
	}
	return false
}
