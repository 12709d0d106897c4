import { expect, test } from "vitest";
import { type Chip, countDevices } from "./count-devices.ts";

const device = (id: string, connectivity: "ONLINE" | "OFFLINE" | "UNKNOWN", category?: string) => ({
  id,
  connectivity,
  manifest: { category },
});
const text = (chips: readonly Chip[]) => chips.map(({ name, value, count }) => `${name}=${value}:${count}`).join(" ");

test("devices are counted by state, alerts and category; what nothing is in has no chip", () => {
  const devices = [device("a", "ONLINE", "loads"), device("b", "ONLINE", "loads"), device("c", "OFFLINE")];
  expect(text(countDevices(devices, new Set(["b", "gone"]), () => false))).toBe(
    "connectivity=ONLINE:2 connectivity=OFFLINE:1 alerts=yes:1 category=loads:2 category=none:1",
  );
  expect(text(countDevices([device("a", "ONLINE", "loads")], new Set(), () => false))).toBe("connectivity=ONLINE:1");
});

test("a chip that is chosen stays when its last device leaves", () => {
  expect(text(countDevices([device("a", "ONLINE")], new Set(), (name) => name === "alerts"))).toBe(
    "connectivity=ONLINE:1 alerts=yes:0",
  );
});
