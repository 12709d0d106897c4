import { expect, test } from "vitest";
import { createLateAcceptances } from "./late-acceptances.ts";

/** `note a` accepts a, `drop a` tells that more is known of it, `25` lets so many milliseconds pass. */
function play(script: string): string {
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  const recorded: string[] = [];
  let now = 0;
  const acceptances = createLateAcceptances(
    (ms, call) => {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    ({ id }) => recorded.push(`${id}@${now}`),
  );
  for (const [, verb, id = "", ms] of script.matchAll(/(note|drop|stop)(?: (\w+))?|(\d+)/g)) {
    if (verb === "note") acceptances.note({ id, deviceId: "d" });
    if (verb === "drop") acceptances.drop(id);
    if (verb === "stop") acceptances.stop();
    now += Number(ms ?? 0);
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.call();
  }
  return `${recorded.join(" ")}|${timers.size}`;
}

test.each([
  ["note a, 24", "|1"],
  ["note a, 25, 25", "a@25|0"],
  ["note a, 10, drop a, 25", "|0"],
  ["note a, 10, drop b, 25", "a@35|0"],
  ["note a, 25, drop a", "a@25|0"],
  ["note a, note b, 10, stop, 25", "a@10 b@10|0"],
  ["stop, note a", "a@0|0"],
])("%s: %s", (script, expected) => {
  expect(play(script)).toBe(expected);
});
