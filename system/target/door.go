package target

import "context"

type doorKey struct{}

// Door names the role instance whose request a hook stands at.
type Door struct {
	Role     string
	Instance int
}

// WithDoor tells a hook at a request (a role verb with an API) whose request it is. The proxy sets it, because a moment with
// Member 0 does not say which instance will come to it.
func WithDoor(ctx context.Context, d Door) context.Context {
	return context.WithValue(ctx, doorKey{}, d)
}

// DoorOf is the role instance that WithDoor told, false when nobody did.
func DoorOf(ctx context.Context) (Door, bool) {
	d, ok := ctx.Value(doorKey{}).(Door)
	return d, ok
}
