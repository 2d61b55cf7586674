package contract
import "testing"
func TestSmoke(t *testing.T) {
	for _, f := range []string{"../sensor/architecture.yaml", "testdata/toko/architecture.yaml"} {
		d, err := Load(f)
		if err != nil { t.Fatal(err) }
		for _, p := range d.Payloads { for _, e := range p.Examples { t.Log(len(e), p.Validate(e)) } }
		for _, r := range d.Roles() { t.Log(r.Name, r.Kind, len(r.Flows)) }
	}
}
