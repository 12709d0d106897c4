import { expect, test } from "vitest";
import type { Alert, Device, Execution } from "#client/resources.ts";
import { DeviceState } from "./device-state.svelte.ts";
import { withAlert, withExecution } from "./site-state.svelte.ts";

const alert = (id: string, more: Partial<Alert> = {}): Alert => ({
  id,
  device_id: "d",
  site_id: "s",
  severity: "warning",
  state: "HARD",
  display_name: id,
  raised_at: "2026-11-16T00:00:00Z",
  source: "alerts",
  declared: true,
  ...more,
});
const execution = (id: string, state: Execution["state"]): Execution => ({
  id,
  device_id: "d",
  state,
  ephemeral: false,
  created_at: "2026-11-16T00:00:00Z",
  request: { name: "start", arguments: {}, manifest_name: "start" },
});

test("an alert is added, replaced and taken away, each source for itself", () => {
  const one = withAlert([], alert("hot"));
  expect(one).toHaveLength(1);
  expect(withAlert(one, alert("hot", { state: "SOFT" }))).toEqual([alert("hot", { state: "SOFT" })]);
  expect(withAlert(one, alert("hot", { source: "safety_alerts" }))).toHaveLength(2);
  expect(withAlert(one, alert("hot", { cleared_at: "2026-11-16T01:00:00Z" }))).toEqual([]);
});

test("an execution is listed until it has ended", () => {
  const begun = withExecution([], execution("e", "NEW"));
  const running = withExecution(begun, execution("e", "IN_PROGRESS"));
  expect(running.map(({ state }) => state)).toEqual(["IN_PROGRESS"]);
  expect(withExecution(running, execution("e", "SUCCESS"))).toEqual([]);
  expect(withExecution([], execution("e", "ERROR"))).toEqual([]);
});

test("a device keeps the newest value, also when an older one comes later", () => {
  const device = new DeviceState({ id: "d", name: "D" } as Device);
  expect(device.lastSeen).toBeUndefined();
  device.merge({ power: { value: 2, timestamp: 20 }, status: { value: "on", timestamp: 10 } });
  device.merge({ power: { value: 1, timestamp: 15 } });
  expect(device.values.get("power")?.value).toBe(2);
  device.merge({ power: { value: 3, timestamp: 20 } });
  expect(device.values.get("power")?.value).toBe(3);
  expect(device.lastSeen).toBe(20_000);
});
