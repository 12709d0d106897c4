import { expect, test } from "vitest";
import type { GatewayReport, Uplink } from "#client/resources.ts";
import { backlogOf, describeUplink } from "./print-gateway.ts";

const uplinkWith = (historyBefore: string | null): Uplink => ({
  url: "https://cloud.example",
  gateway_id: "g1",
  joined_at: "2026-01-01T00:00:00Z",
  connected: true,
  since: "2026-01-01T00:00:00Z",
  backlog: 2,
  telemetry: { messages: 0, points: 0, bytes: 0, hours: 0, oldest_at: null, history_before: historyBefore },
  dropped: { expired: 0, unreadable: 0 },
  refused: [],
  last_error: null,
});

test("what is not uploaded names the history: all of it, what is before a time, or none", () => {
  const backlog = (historyBefore: string | null) => describeUplink(uplinkWith(historyBefore)).split("\n")[1];
  const ahead = new Date(Date.now() + 2 * 86_400_000).toISOString();
  expect(backlog(ahead)).toBe(
    "gateway g1, 2 changes to upload, 0 messages of telemetry, stored history not uploaded yet",
  );
  expect(backlog("2026-01-02T00:00:00Z")).toBe(
    "gateway g1, 2 changes to upload, 0 messages of telemetry, history before 2026-01-02T00:00:00Z not uploaded yet",
  );
  expect(backlog(null)).toBe("gateway g1, 2 changes to upload, 0 messages of telemetry");
});

test.each([
  [0, 0, 0, 0, "none"],
  [4, 0, 0, 0, "4 changes"],
  [1, 3, 0, 90, "1 change, 3 messages, 90 s old"],
  [0, 3, 2, 7_200, "2 h, 2 h old"],
])("a backlog of %d changes, %d messages and %d hours, %d s old, is %s", (changes, messages, hours, age, text) => {
  const backlog = { changes, messages, points: 0, bytes: 0, hours, history: false, age_seconds: age };
  expect(backlogOf({ report: { backlog } as GatewayReport })).toBe(text);
  const withHistory = { ...backlog, history: true };
  expect(backlogOf({ report: { backlog: withHistory } as GatewayReport })).toBe(
    text === "none" ? "stored history" : `${text}, stored history`,
  );
  expect(backlogOf({ report: null })).toBe("unknown");
});
