import { expect, test } from "vitest";
import { createPresence, DEVICES_PER_MESSAGE, type HeardMessage, type Presence } from "./presence.ts";

const EVERY_MS = 10;

/** Some nodes that hear devices. Messages reach all others, unless `loses` says otherwise. */
function world(names: readonly string[]) {
  let elapsed = 0;
  const nodes = new Map<string, Presence>();
  const hears = new Map<string, Set<string>>();
  const joined = new Map<string, string[]>();
  const offline = new Set<string>();
  let loses = (_from: string, _to: string, _message: HeardMessage) => false;
  const start = (name: string) => {
    nodes.set(name, createPresence({ node: name, elapsed: () => elapsed, everyMs: EVERY_MS }));
    hears.set(name, new Set());
    joined.set(name, []);
  };
  names.forEach(start);

  function send(from: string, message: HeardMessage): void {
    for (const [to, node] of nodes) {
      if (to === from || loses(from, to, message)) continue;
      const { devices, isUnknown } = node.take(message);
      joined.get(to)?.push(...devices);
      if (isUnknown) nodes.get(from)?.asked(from);
    }
  }

  return {
    nodes,
    offline,
    start,
    end: (name: string) => nodes.delete(name),
    hear: (name: string, ...devices: readonly string[]) => hears.set(name, new Set(devices)),
    lose: (which: typeof loses) => {
      loses = which;
    },
    /** Each node announces once. Returns the messages. */
    round(times = 1): readonly HeardMessage[] {
      let sent: HeardMessage[] = [];
      for (let time = 0; time < times; time++) {
        sent = [];
        elapsed += EVERY_MS;
        for (const [name, node] of nodes) {
          for (const message of node.announce([...(hears.get(name) ?? [])], (id) => !offline.has(id))) {
            sent.push(message);
            send(name, message);
          }
        }
      }
      return sent;
    },
    knows: (name: string, device: string) => nodes.get(name)?.isHeardElsewhere(device),
    joined: (name: string) => joined.get(name),
  };
}

const many = (count: number) => Array.from({ length: count }, (_, n) => `d${n}`);

test("each node knows what the others hear, and messages are sent for changes alone", () => {
  const { hear, round, knows, joined } = world(["a", "b", "c"]);
  hear("a", ...many(1_000));
  round();
  expect([knows("b", "d0"), knows("c", "d999"), knows("a", "d0"), knows("b", "other")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(joined("b")).toHaveLength(1_000);
  const quiet = round();
  expect(quiet.map(({ joined: more, left, isWhole }) => [more, left, isWhole])).toEqual(
    Array.from({ length: 3 }, () => [undefined, undefined, undefined]),
  );
  hear("b", "d5");
  expect(round().flatMap(({ joined: more = [] }) => more)).toEqual(["d5"]);
  expect(Math.max(...round().map((message) => JSON.stringify(message).length))).toBeLessThan(100);
});

test("a device that is no longer heard is left after some rounds, and not before", () => {
  const { hear, round, knows } = world(["a", "b"]);
  hear("a", "d0", "d1");
  round();
  hear("a", "d1");
  round(3);
  expect([knows("b", "d0"), knows("b", "d1")]).toEqual([true, true]);
  round();
  expect([knows("b", "d0"), knows("b", "d1")]).toEqual([false, true]);
});

test("a device that has gone is left at once, and one that did not stay is not announced", () => {
  const { hear, round, knows, offline } = world(["a", "b"]);
  hear("a", "d0");
  round();
  hear("a", "d0", "d1");
  offline.add("d0").add("d1");
  expect(round().map(({ joined, left }) => [joined, left])).toEqual([
    [undefined, ["d0"]],
    [undefined, undefined],
  ]);
  expect([knows("b", "d0"), knows("b", "d1")]).toEqual([false, false]);
});

test("a node that starts learns everything, and one that has gone hears nothing", () => {
  const { hear, round, knows, start, end, nodes } = world(["a", "b"]);
  hear("a", ...many(500));
  round(2);
  start("late");
  round(3);
  expect([knows("late", "d0"), knows("late", "d499"), nodes.get("late")?.others()]).toEqual([true, true, 2]);
  end("a");
  round(3);
  expect([knows("b", "d0"), knows("late", "d0")]).toEqual([true, true]);
  round();
  expect([knows("b", "d0"), knows("late", "d0"), nodes.get("b")?.others()]).toEqual([false, false, 1]);
});

test("whichever message is lost, the next answer repairs it", () => {
  const messages = Math.ceil(500 / DEVICES_PER_MESSAGE) + 1;
  for (let lost = 0; lost < messages; lost++) {
    const { hear, round, knows, lose } = world(["a", "b"]);
    hear("a", ...many(500));
    let count = 0;
    lose((from) => from === "a" && count++ === lost);
    round();
    hear("a", ...many(500), "more");
    round(5);
    expect(
      [...many(500), "more"].filter((id) => knows("b", id) !== true),
      `message ${lost} is lost`,
    ).toEqual([]);
  }
});

test("a node that misses many messages asks once, and what it knew stays", () => {
  const { hear, round, nodes, knows, lose } = world(["a", "b"]);
  hear("a", ...many(1_000));
  round(2);
  const b = nodes.get("b");
  lose(() => true);
  const late = many(2_000).slice(1_000);
  const sent = nodes.get("a")?.announce([...many(1_000), ...late], () => true) ?? [];
  lose(() => false);
  const asks = sent.slice(1).map((message) => b?.take(message).isUnknown);
  expect([sent.length > 3, asks.filter(Boolean).length, knows("b", "d0")]).toEqual([true, 1, true]);
});
