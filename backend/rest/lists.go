package rest

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// list is never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// orNull is null for the zero value: the 0 that ends a list, the id of no call.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// byID is a request that says no more than what it is about.
type byID struct {
	ID string `path:"id"`
}
