package backend

// Version is the product's own version.
const Version = "0.1.0"
