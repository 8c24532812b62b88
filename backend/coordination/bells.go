package coordination

import (
	"sync"

	"sekisho/backend/permission"
)

// bells wake those who wait for something in a project.
type bells struct {
	mu      sync.Mutex
	waiting map[permission.ProjectID]chan struct{}
}

// next is closed with the next change in a project.
func (b *bells) next(project permission.ProjectID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.waiting[project]
	if c == nil {
		c = make(chan struct{})
		b.waiting[project] = c
	}
	return c
}

// ring tells of a change in a project.
func (b *bells) ring(project permission.ProjectID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.waiting[project]; c != nil {
		close(c)
		delete(b.waiting, project)
	}
}
