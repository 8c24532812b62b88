// Package secret keeps what must not stand in the database: values of servers'
// environments and headers, and tokens of sign-ins, each under a name. They are in one
// file that only this user can read. A keyring of the desktop would hide them from
// other programs of the same user no better, since it opens for each of them; and a
// desk without a desktop could not read what one with a desktop had put there, though
// both open the same data folder.
package secret
