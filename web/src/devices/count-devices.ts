// How many devices are in which state, of which category, and how many have alerts. Pure.
import { groupByCategory } from "./group-devices.ts";

type Counted = {
  readonly id: string;
  readonly connectivity: "ONLINE" | "OFFLINE" | "UNKNOWN";
  readonly manifest: { readonly category: string | undefined };
};

export type Chip = {
  /** Filter of the address, and its value. */
  readonly name: "connectivity" | "alerts" | "category";
  readonly value: string;
  readonly count: number;
};

/** States that no device is in are left out, but for a chosen one: it must be possible to take it back. */
export function countDevices(
  devices: readonly Counted[],
  alerting: ReadonlySet<string>,
  isChosen: (name: Chip["name"], value: string) => boolean,
): readonly Chip[] {
  const states = (["ONLINE", "OFFLINE", "UNKNOWN"] as const).map(
    (value): Chip => ({
      name: "connectivity",
      value,
      count: devices.filter((one) => one.connectivity === value).length,
    }),
  );
  const alerts: Chip = { name: "alerts", value: "yes", count: devices.filter(({ id }) => alerting.has(id)).length };
  const categories = groupByCategory(devices).map(
    ({ category, devices: members }): Chip => ({ name: "category", value: category ?? "none", count: members.length }),
  );
  return [...states, alerts, ...(categories.length > 1 ? categories : [])].filter(
    ({ name, value, count }) => count > 0 || isChosen(name, value),
  );
}
