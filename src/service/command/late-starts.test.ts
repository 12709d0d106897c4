import { expect, test } from "vitest";
import { arrival } from "../../../test/support/executions.ts";
import { createLateStarts } from "./late-starts.ts";

/**
 * `note a` hands a over to device d; `recordNow a` is an answer of d to it, `recordNow x/a` one of another device; `25` lets so many
 * milliseconds pass. Gives what was recorded, and after a bar how many timers are left.
 */
function play(script: string): string {
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  const recorded: string[] = [];
  let now = 0;
  const starts = createLateStarts(
    (ms, call) => {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async (deviceId, id, { state }) => void recorded.push(`${deviceId}/${id}@${now}${state === "STARTED" ? "" : "?"}`),
  );
  for (const [, verb, name = "", ms] of script.matchAll(/(note|recordNow|stop)(?: ([\w/]+))?|(\d+)/g)) {
    const [deviceId = "d", id = name] = name.includes("/") ? name.split("/") : [];
    if (verb === "note") starts.note({ id, deviceId }, arrival("STARTED"));
    if (verb === "recordNow") void starts.recordNow(deviceId, id);
    if (verb === "stop") starts.stop();
    now += Number(ms ?? 0);
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.call();
  }
  return `${recorded.join(" ")}|${timers.size}`;
}

test.each([
  ["note a", "|1"],
  ["note a, 24", "|1"],
  ["note a, 25", "d/a@25|0"],
  ["note a, 10, recordNow a", "d/a@10|0"],
  ["note a, 10, recordNow a, recordNow a, 50", "d/a@10|0"],
  ["note a, 10, recordNow x/a", "|1"],
  ["note a, recordNow b, 25, recordNow a", "d/a@25|0"],
  ["note a, 5, note b, 5, recordNow b, 15", "d/b@10 d/a@25|0"],
  ["note a, note b, 1, stop", "d/a@1 d/b@1|0"],
  ["note a, recordNow a, stop, 30", "d/a@0|0"],
  ["stop, note a, recordNow a, 30", "d/a@0|0"],
])("starts are recorded once, with the answer or 25 ms later: %s gives %s", (script, expected) => {
  expect(play(script)).toBe(expected);
});

test("an answer waits for the start that is being recorded, and for no other", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const starts = createLateStarts(
    () => () => {},
    () => promise,
  );
  starts.note({ id: "a", deviceId: "d" }, arrival("STARTED"));
  expect([starts.recordNow("d", "b"), starts.recordNow("x", "a")]).toEqual([undefined, undefined]);
  const under = [starts.recordNow("d", "a"), starts.recordNow("d", "a")];
  expect(under[1]).toBe(under[0]);
  resolve();
  await under[0];
  expect(starts.recordNow("d", "a")).toBeUndefined();
});
