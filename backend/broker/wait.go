package broker

import (
	"context"

	"sekisho/backend/permission"
)

// Wait answers the call as soon as it is not pending, its rev is not rev (0
// stands for whatever it is now), or it changes; or when ctx ends, then as it
// stands. Whether p may see the call is the desk's question, asked before.
func (b *Broker) Wait(ctx context.Context, id permission.CallID, rev int64) (permission.Call, error) {
	for {
		woken := b.listen(id)
		c, err := b.store.Call(context.WithoutCancel(ctx), id)
		if err != nil || c.Status != permission.Pending || (rev != 0 && c.Rev != rev) || ctx.Err() != nil {
			b.forget(id, woken)
			return c, err
		}
		if rev == 0 {
			rev = c.Rev
		}
		select {
		case <-woken:
		case <-ctx.Done():
		}
		b.forget(id, woken)
	}
}

func (b *Broker) listen(id permission.CallID) chan struct{} {
	w := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiters[id] = append(b.waiters[id], w)
	return w
}

func (b *Broker) forget(id permission.CallID, w chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.waiters[id]
	for i, x := range list {
		if x == w {
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
			break
		}
	}
	if len(list) == 0 {
		delete(b.waiters, id)
		return
	}
	b.waiters[id] = list
}
