import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import { noDevices, type RolloutDevice, type RolloutState } from "#core/rollout/rollout.ts";
import { instant } from "#core/time/instant.ts";
import type { RolloutDeviceChange } from "#service/ports/rollout-store.ts";
import { type AdvanceNeeds, createRolloutRunner } from "./advance-rollouts.ts";

const START = 1_000_000_000_000;

interface Course {
  /** How much the clock of the gateway is behind that of the cloud. */
  readonly behindMs: number;
  /** How long the cloud takes to assign the blueprint. */
  readonly takesMs: number;
  /** When something goes wrong, after the assignment; before it when negative. */
  readonly faultAfterMs: number;
  readonly fault: "alert" | "log";
  /** What the first attempts to assign the blueprint throw. */
  readonly refusals?: readonly Error[];
}

interface Outcome {
  readonly state: string;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
}

/** Rolls a blueprint out to one device, and gives what becomes of the device. */
async function rollOut({ behindMs, takesMs, faultAfterMs, fault, refusals = [] }: Course): Promise<Outcome> {
  const left = [...refusals];
  const warnings: string[] = [];
  let now = START;
  let state: RolloutState = "RUNNING";
  let assignedAt: number | undefined;
  let device: RolloutDevice = {
    deviceId: "d",
    siteId: "s",
    stage: 0,
    state: "WAITING",
    since: instant(now),
    reason: undefined,
    formerBlueprintId: "old",
    wasOnline: false,
    before: undefined,
  };
  const faultAt = () =>
    faultAfterMs < 0 ? START + faultAfterMs : (assignedAt ?? Number.POSITIVE_INFINITY) + faultAfterMs;
  const hasFault = (kind: Course["fault"]) => kind === fault && now >= faultAt();
  const rollout = () => ({
    id: "r",
    blueprintId: "new",
    stages: [1],
    watchMs: 600_000,
    timeoutMs: 3_600_000,
    maxFailures: 0,
    state,
    stage: 0,
    tolerated: 0,
    createdBy: { tokenId: "t", tokenName: "t" },
  });
  const needs = {
    now: () => now,
    rollouts: {
      running: async () => (state === "RUNNING" ? [rollout()] : []),
      find: async () => rollout(),
      devices: async (_: string, { states, isAway }: { states: readonly string[]; isAway?: boolean }) => ({
        items: states.includes(device.state) && isAway !== true ? [{ ...device, isAway: false }] : [],
      }),
      putDevices: async (_: string, [change]: readonly RolloutDeviceChange[]) => {
        device = change?.to ?? device;
        return true;
      },
      counts: async () => ({ ...noDevices(), [device.state]: 1 }),
      turn: async (_: string, turn: { to: RolloutState }) => {
        state = turn.to;
      },
    },
    devices: { find: async () => ({ id: "d", blueprintId: assignedAt === undefined ? "old" : "new" }) },
    alerts: {
      active: async () =>
        hasFault("alert") ? [{ severity: "error", alertId: "broken", raisedAt: faultAt() - behindMs }] : [],
    },
    deviceLogs: {
      list: async (_: string, { since = 0 }: { since?: number }) => {
        const receivedAt = (faultAt() - behindMs) * 1_000;
        const isThere = hasFault("log") && receivedAt >= since * 1_000;
        return { items: isThere ? [{ severity: "error", message: "broken", receivedAt }] : [] };
      },
    },
    connectivity: { status: () => "ONLINE" },
    log: { warn: (_: object, text: string) => warnings.push(text) },
    operations: {
      perform: async () => {
        const refusal = left.shift();
        if (refusal !== undefined) throw refusal;
        assignedAt = now;
        now += takesMs;
      },
    },
  } as unknown as AdvanceNeeds;
  const runner = createRolloutRunner(needs);
  for (; state === "RUNNING" && now < START + 1_000_000; now += 1_000) await runner.advance();
  return { state: device.state, reason: device.reason, warnings };
}

test.each(["alert", "log"] as const)(
  "an error in the %s after the assignment fails the device, whatever the clocks say",
  async (fault) => {
    for (const behindMs of [-120_000, 0, 120_000]) {
      for (const takesMs of [10, 10_000]) {
        for (const faultAfterMs of [1_000, 60_000]) {
          const course = { behindMs, takesMs, faultAfterMs, fault };
          expect({ ...course, state: (await rollOut(course)).state }).toEqual({ ...course, state: "FAILED" });
        }
        const before = { behindMs, takesMs, faultAfterMs: -3_000, fault };
        expect({ ...before, state: (await rollOut(before)).state }).toEqual({ ...before, state: "DONE" });
      }
    }
  },
);

test.each([
  ["that stands fails the device", refuse("not_found", "there is no device d"), "FAILED", "there is no device d", 1],
  ["that passes is tried again", refuse("overloaded", "too much waits"), "DONE", undefined, 0],
  ["by a bug fails the step, which is tried again", new Error("a bug"), "DONE", undefined, 1],
])("a refusal %s", async (_, refusal, state, reason, warnings) => {
  const course = { behindMs: 0, takesMs: 10, faultAfterMs: 10_000_000, fault: "log", refusals: [refusal] } as const;
  const outcome = await rollOut(course);
  expect(outcome).toMatchObject({ state, reason });
  expect(outcome.warnings).toHaveLength(warnings);
});
