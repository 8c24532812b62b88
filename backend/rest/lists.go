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

// orNull is null for the 0 that ends a list.
func orNull(next int64) *int64 {
	if next == 0 {
		return nil
	}
	return &next
}
