import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseProfiles } from "./parse-profiles.ts";
import { STARTER_PROFILES, starterLibrary } from "./starter-profiles.ts";

const folder = new URL("profiles/", import.meta.url);
const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".yml"));
const parsed = parseProfiles(new Map(paths.sort().map((path) => [path, readFileSync(new URL(path, folder), "utf8")])));

test("the YAML files have no issues, and the generated module says the same (else run scripts/profiles.mjs)", () => {
  expect(parsed.issues).toEqual(new Map());
  expect(STARTER_PROFILES).toEqual(parsed.profiles);
});

test("every kind of device that a site has is there", () => {
  const ids = [...starterLibrary().ids()];
  const kinds = ["battery", "inverter.pv", "inverter.hybrid", "meter", "grid_meter", "electrolyser", "ev_charger"];
  expect(ids).toEqual(expect.arrayContaining([...kinds.map((kind) => `energy.${kind}`), "sensor.weather_station"]));
});

test("profiles say the sign of a power that goes both ways: discharging and import are positive", () => {
  const find = (id: string) => STARTER_PROFILES.find((profile) => profile.id === id);
  const said = (id: string) => find(id)?.description;
  expect(said("energy.battery.power")).toMatch(/^Positive while the battery is discharged/);
  expect(said("energy.battery.electrical")).toContain("positive while the battery is discharged");
  expect(said("energy.meter.grid")).toMatch(/^Positive while the site takes from the grid/);
  const control = find("energy.battery.control")?.commands.get("set_battery_power");
  expect(control?.arguments.get("power")?.displayName).toBe("Power, positive to discharge");
});

test("a profile includes what its parts include", () => {
  expect(starterLibrary().resolve(["energy.inverter.hybrid"])).toEqual([
    "energy.inverter.hybrid",
    "energy.inverter.pv",
    "energy.inverter",
    "device",
    "device.nameplate",
    "device.status",
    "device.alerts",
    "energy.ac.power",
    "energy.ac.frequency",
    "energy.pv.power",
    "energy.pv.energy",
    "energy.battery.state_of_charge",
    "energy.battery.power",
    "energy.meter.grid",
  ]);
});

test("a field name means the same wherever it occurs, so that one attribute can serve several profiles", () => {
  const meanings = new Map<string, string>();
  for (const profile of STARTER_PROFILES) {
    for (const section of ["properties", "telemetry"] as const) {
      for (const [name, { type, unit }] of profile[section]) {
        const meaning = `${section} ${type} ${unit}`;
        expect(meanings.get(name) ?? meaning, name).toBe(meaning);
        meanings.set(name, meaning);
      }
    }
  }
  expect(meanings.size).toBeGreaterThan(50);
});
