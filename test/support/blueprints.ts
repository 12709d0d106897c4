// Small manifests for tests that need a blueprint but do not look into it.

/** A valid manifest with three properties of rising level; `more` is appended at the top level. */
export function manifest(name: string, more = ""): string {
  return `blueprint_spec: device/3.0
display_name: ${name}
runtime:
  type: embedded
properties:
  model:
    type: string
    display_name: Model
  owner_note:
    type: string
    display_name: Note
    access_level: owner
  vendor_key:
    type: string
    display_name: Key
    access_level: vendor
telemetry:
  power:
    type: float
    unit: kW
    display_name: Power
${more}`;
}
