import { expect, test } from "vitest";
import { type FleetNeeds, fleetOverview } from "./fleet-overview.ts";

test.each([
  ["changes", { backlog_changes: 3 }, 1],
  ["messages", { backlog_messages: 1 }, 1],
  ["hours", { backlog_hours: 2 }, 1],
  ["stored history", { backlog_history: true }, 1],
  ["nothing", { backlog_changes: 0, backlog_history: false }, 0],
])("a gateway that has %s to upload is counted", async (_what, values, expected) => {
  const newest = new Map(
    Object.entries({ status: "connected", ...values }).map(([name, value]) => [name, { at: 1, value }]),
  );
  const needs = {
    gateways: {
      list: async () => ({ items: [{ id: "g", revokedAt: undefined }], total: 1 }),
      places: async () => new Map([["g", { siteIds: [], deviceId: "d" }]]),
      versions: async () => [],
    },
    telemetry: { current: async () => newest },
  } as unknown as FleetNeeds;
  expect((await fleetOverview(needs)).withBacklog).toBe(expected);
});
