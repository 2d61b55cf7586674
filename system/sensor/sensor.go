// Package sensor carries the sensor system's architecture document. It holds no rule: everything that the engine knows of
// sensors stands in the document.
package sensor

import "embed"

// Files holds architecture.yaml and the decisions under adr/.
//
//go:embed architecture.yaml adr
var Files embed.FS
