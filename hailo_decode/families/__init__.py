"""One file a kind of head: roles, channels, box code, activation, extras."""
