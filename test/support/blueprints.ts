// Small manifests for tests that need a blueprint but do not look into it.

/** A valid manifest: three properties of rising level, one command and one configuration bucket of level user; `more` is appended at the top level. */
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
command_groups:
  control:
    display_name: Control
commands:
  start:
    group: control
    display_name: Start
    arguments:
      power:
        type: float
        display_name: Power
configuration:
  limits:
    display_name: Limits
    parameters:
      max_power:
        type: float
        display_name: Highest power
${more}`;
}

/** The same for a device that a Lua script drives; the script is asked for only where it runs. */
export function luaManifest(name: string, more = ""): string {
  return manifest(name, more).replace("type: embedded", "type: lua\n  options:\n    file: main.lua");
}
