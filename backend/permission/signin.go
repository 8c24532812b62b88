package permission

// SignInState says how far a server's sign-in is.
type SignInState string

// The states of a sign-in.
const (
	SignedOut     SignInState = "none"
	SignInWaiting SignInState = "waiting" // for the person, in the browser
	SignedIn      SignInState = "signedIn"
	SignInFailed  SignInState = "failed"
	SignInExpired SignInState = "expired" // the authorization server takes its tokens no more
)

// SignIn is a sign-in to a server over HTTP, without its tokens.
type SignIn struct {
	State  SignInState `json:"state"`
	Issuer string      `json:"issuer"` // the authorization server; empty while none is known
	URL    string      `json:"url"`    // to open in a browser while it waits; else empty
	Error  string      `json:"error"`  // why it failed, in words; else empty
}
