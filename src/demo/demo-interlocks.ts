// Limits of the demo site, so that they show from the first minute. In everyday life of the plant none of them changes anything.
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Interlocks } from "#service/interlock/interlocks.ts";
import type { Call, Needs } from "#service/ports.ts";

const DOCUMENTS: Readonly<Record<string, object>> = {
  "battery-reserve": {
    kind: "condition",
    display_name: "Reserve of the battery",
    // The battery itself stops at 5 %.
    when: { device: "battery-rack-a", attribute: "battery_soc", below: 4, hysteresis: 1 },
    limits: [{ device: "battery-rack-a", control: "battery_power", max: 0 }],
  },
  "house-connection": {
    kind: "connection",
    display_name: "Connection to the grid",
    meter: { device: "grid-meter", attribute: "grid_power" },
    // Three fuses of 100 A.
    max_import: 69_000,
    loads: [{ device: "wallbox", control: "current_limit", per_unit: 690, draws: "charging_power", least: 6 }],
  },
  "stack-too-hot": {
    kind: "condition",
    display_name: "Stack of the electrolyser",
    when: { device: "electrolyser", attribute: "stack_temperature", above: 85, hysteresis: 5 },
    hold_for: "10m",
    limits: [{ device: "electrolyser", control: "production_rate", max: 60 }],
  },
};

export type DemoInterlocksNeeds = Pick<Needs, "now" | "newId"> & {
  readonly interlocking: Pick<Interlocks, "ofSite" | "problemsOf" | "put">;
};

/** What somebody has set stays, and what does not fit the devices that are there is left out. */
export async function giveDemoInterlocks(needs: DemoInterlocksNeeds, call: Call, siteId: string): Promise<void> {
  if ((await needs.interlocking.ofSite(siteId)).length > 0) return;
  for (const [name, document] of Object.entries(DOCUMENTS)) {
    const { interlock } = parseInterlock(document);
    if (interlock === undefined || (await needs.interlocking.problemsOf(siteId, interlock)).length > 0) continue;
    const trail = auditTrail(needs, { ...call, operation: "putInterlock" }, { target: { siteId }, details: { name } });
    await needs.interlocking.put({ siteId, name, document, interlock, expected: 0 }, trail);
  }
}
