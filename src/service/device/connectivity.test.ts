import { expect, test } from "vitest";
import { createConnectivity } from "./connectivity.ts";

/**
 * `a` alive, `c` connected, `g` gone, `h` heard by another node from now on, `H` no longer, `l` out of sight, `L` of all nodes, `w` let go, `s` sweep, `f` forget, `+5` time goes on; of another node: `A`
 * alive, `ONLINE`, `OFFLINE` and `UNKNOWN` events. Gives the changes and the last status.
 */
function play(script: string): string {
  let elapsed = 0;
  let isElsewhere = false;
  const changes: string[] = [];
  const connectivity = createConnectivity({
    elapsed: () => elapsed,
    silenceMs: 30,
    onChange: (_deviceId, status) => changes.push(status),
    isHeardElsewhere: () => isElsewhere,
  });
  const steps: Readonly<Record<string, () => void>> = {
    a: () => connectivity.alive("d"),
    c: () => connectivity.connected("d"),
    g: () => connectivity.gone("d"),
    s: () => connectivity.sweep(),
    f: () => connectivity.forget("d"),
    l: () => connectivity.loseSight("d"),
    L: () => connectivity.loseSight("d", true),
    w: () => connectivity.letGo("d"),
    A: () => connectivity.aliveElsewhere("d"),
    h: () => {
      isElsewhere = true;
    },
    H: () => {
      isElsewhere = false;
    },
    ONLINE: () => connectivity.heardOf("d", "ONLINE"),
    OFFLINE: () => connectivity.heardOf("d", "OFFLINE"),
    UNKNOWN: () => connectivity.heardOf("d", "UNKNOWN"),
  };
  for (const step of script.split(" ").filter(Boolean)) {
    if (step.startsWith("+")) elapsed += Number(step);
    else steps[step]?.();
  }
  return [...changes, connectivity.status("d")].join(" ");
}

test.each([
  ["", "UNKNOWN"],
  ["s", "UNKNOWN"],
  ["g", "UNKNOWN"],
  ["a", "ONLINE ONLINE"],
  ["a a a", "ONLINE ONLINE"],
  ["a +29 s", "ONLINE ONLINE"],
  ["a +30 s", "ONLINE OFFLINE OFFLINE"],
  ["a +20 a +20 s", "ONLINE ONLINE"],
  ["a +30 s s +30 s", "ONLINE OFFLINE OFFLINE"],
  ["a g", "ONLINE OFFLINE OFFLINE"],
  ["a g g +30 s", "ONLINE OFFLINE OFFLINE"],
  ["a g a", "ONLINE OFFLINE ONLINE ONLINE"],
  ["a +30 s a", "ONLINE OFFLINE ONLINE ONLINE"],
  ["c +300 s", "ONLINE ONLINE"],
  ["a +20 c +300 s s", "ONLINE ONLINE"],
  ["c +300 s g", "ONLINE OFFLINE OFFLINE"],
  ["c g a +30 s", "ONLINE OFFLINE ONLINE OFFLINE OFFLINE"],
  ["c f a +30 s", "ONLINE ONLINE OFFLINE OFFLINE"],
  ["a f", "ONLINE UNKNOWN"],
  ["a f +30 s", "ONLINE UNKNOWN"],
  ["c l +300 s", "ONLINE UNKNOWN UNKNOWN"],
  ["L", "UNKNOWN UNKNOWN"],
  ["c w +5029 s", "ONLINE ONLINE"],
  ["c w +5030 s", "ONLINE OFFLINE OFFLINE"],
  ["c w +5029 A +5029 s", "ONLINE ONLINE"],
  ["c ONLINE w UNKNOWN", "ONLINE UNKNOWN"],
  ["c w L", "ONLINE UNKNOWN UNKNOWN"],
  ["w", "UNKNOWN"],
  ["a h +300 s", "ONLINE ONLINE"],
  ["a h +300 s OFFLINE", "ONLINE OFFLINE"],
  ["A h +5300 s s", "ONLINE"],
  ["A h +5300 s H s", "ONLINE"],
  ["A h +5300 s H +4999 s", "ONLINE"],
  ["A h +5300 s H +5000 s", "OFFLINE OFFLINE"],
  ["h", "UNKNOWN"],
  ["c ONLINE l UNKNOWN", "ONLINE UNKNOWN UNKNOWN"],
  ["c ONLINE l c UNKNOWN", "ONLINE UNKNOWN ONLINE ONLINE"],
  ["ONLINE A UNKNOWN +300 s", "UNKNOWN"],
  ["ONLINE OFFLINE UNKNOWN", "UNKNOWN"],
  ["ONLINE c UNKNOWN", "ONLINE ONLINE"],
  ["a g a g a OFFLINE OFFLINE", "ONLINE OFFLINE ONLINE OFFLINE ONLINE ONLINE"],
  ["a g a g a OFFLINE OFFLINE OFFLINE", "ONLINE OFFLINE ONLINE OFFLINE ONLINE ONLINE ONLINE"],
])("%s gives %s", (script, expected) => {
  expect(play(script)).toBe(expected);
});

test("devices do not know of each other, whatever they are called", () => {
  const connectivity = createConnectivity({ elapsed: () => 0, silenceMs: 1, onChange: () => {} });
  connectivity.alive("constructor");
  expect(["constructor", "__proto__", "toString"].map((id) => connectivity.status(id))).toEqual([
    "ONLINE",
    "UNKNOWN",
    "UNKNOWN",
  ]);
});
