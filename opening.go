package main

// opening is the desk being opened beside the window being made, which takes about as long.
type opening struct {
	err  error
	over chan struct{}
}

// begin begins to open.
func begin(open func() error) *opening {
	o := &opening{over: make(chan struct{})}
	go func() {
		defer close(o.over)
		o.err = open()
	}()
	return o
}

// wait waits until that is over, and says why there is no desk; nil where it was opened before.
func (o *opening) wait() error {
	if o == nil {
		return nil
	}
	<-o.over
	return o.err
}

// failed reports whether it is over, and there is no desk.
func (o *opening) failed() bool {
	if o == nil {
		return false
	}
	select {
	case <-o.over:
		return o.err != nil
	default:
		return false
	}
}
