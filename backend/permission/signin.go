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
	Error  string      `json:"error"`  // what went wrong, in words; else empty
	Wants  []string    `json:"wants"`  // scopes that the server asked for since: to sign in again asks for them, too

	Client *SignInClient `json:"client,omitempty"` // nil: the desk registers itself
}

// SignInClient is the desk as a person made it known to an authorization server that lets
// no program register itself.
type SignInClient struct {
	ID           string   `json:"id"`                     // empty forgets the one that is kept
	Secret       string   `json:"secret,omitempty"`       // Mask on the way out; put back, it keeps the secret
	Scopes       []string `json:"scopes,omitempty"`       // to ask for instead of those that the server names
	CallbackPort int      `json:"callbackPort,omitempty"` // of this machine, for the redirect; 0 is any that is free
}

// SignInChange is what the journal keeps of a sign-in to a server: no token, no code.
type SignInChange struct {
	What     SignInEvent
	ServerID string
	Issuer   string   // the authorization server
	Scopes   []string // that the sign-in has, or that the server wants
	Why      string   // in words, where something went wrong; else empty
}

// SignInEvent says what happened to a sign-in.
type SignInEvent string

// What happens to a sign-in.
const (
	EventSignedIn         SignInEvent = "signedIn"
	EventSignedOut        SignInEvent = "signedOut"        // by a person, or with their edit of the server
	EventSignInExpired    SignInEvent = "signInExpired"    // the tokens are no good any more
	EventSignInLacks      SignInEvent = "signInLacks"      // the server wants more rights
	EventTokensNotRevoked SignInEvent = "tokensNotRevoked" // after a sign-out: the authorization server did not take them back
)

// Actor is who does what happens.
func (e SignInEvent) Actor() string {
	if e == EventSignedIn || e == EventSignedOut {
		return ActorPerson
	}
	return ActorDesk
}
