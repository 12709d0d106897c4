import { expect, test } from "vitest";
import { arrival } from "../../../test/support/executions.ts";
import { createLateStarts } from "./late-starts.ts";

/**
 * `note a` hands a over to device d; `take a` is an answer of d to it, `take x/a` one of another device; `25` lets so many
 * milliseconds pass. Gives what was recorded alone and (+) what an answer took, and after a bar how many timers are left.
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
  for (const [, verb, name = "", ms] of script.matchAll(/(note|take|stop)(?: ([\w/]+))?|(\d+)/g)) {
    const [deviceId = "d", id = name] = name.includes("/") ? name.split("/") : [];
    if (verb === "note") starts.note({ id, deviceId }, arrival("STARTED"));
    if (verb === "take") {
      const found = starts.take(deviceId, id);
      if (found !== undefined && "start" in found) recorded.push(`+${id}@${now}`);
    }
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
  ["note a, 10, take a", "+a@10|0"],
  ["note a, 10, take a, take a, 50", "+a@10|0"],
  ["note a, 10, take x/a", "|1"],
  ["note a, take b, 25, take a", "d/a@25|0"],
  ["note a, 5, note b, 5, take b, 15", "+b@10 d/a@25|0"],
  ["note a, note b, 1, stop", "d/a@1 d/b@1|0"],
  ["note a, take a, stop, 30", "+a@0|0"],
  ["stop, note a, take a, 30", "d/a@0|0"],
])("starts are recorded once, with the answer or 25 ms later: %s gives %s", (script, expected) => {
  expect(play(script)).toBe(expected);
});

test("an answer waits for the start that is being recorded alone, and for no other", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timers: (() => void)[] = [];
  const starts = createLateStarts(
    (_, call) => {
      timers.push(call);
      return () => {};
    },
    () => promise,
  );
  starts.note({ id: "a", deviceId: "d" }, arrival("STARTED"));
  for (const call of timers) call();
  expect([starts.take("d", "b"), starts.take("x", "a")]).toEqual([undefined, undefined]);
  const under = [starts.take("d", "a"), starts.take("d", "a")];
  expect(under).toEqual([expect.any(Promise), under[0]]);
  resolve();
  await under[0];
  expect(starts.take("d", "a")).toBeUndefined();
});

test("the next answer waits until the one before it has recorded the start", async () => {
  const starts = createLateStarts(
    () => () => {},
    () => Promise.resolve(),
  );
  const start = arrival("STARTED");
  starts.note({ id: "a", deviceId: "d" }, start);
  const taken = starts.take("d", "a");
  if (taken === undefined || taken instanceof Promise) throw new Error("it was not taken");
  expect(taken.start).toBe(start);
  const next = starts.take("d", "a");
  expect(next).toBeInstanceOf(Promise);
  taken.recorded();
  await next;
  expect(starts.take("d", "a")).toBeUndefined();
});
