import { expect, test } from "vitest";
import { createFairShare, type Leave, type ShareLimits } from "./fair-share.ts";

const MANY = { slots: 1, slotsPerKey: 1, waiting: 1_000, waitingPerKey: 1_000 };

/** Enters for each letter in turn and writes down who gets in. */
function openLine(limits: Partial<ShareLimits> = {}) {
  const share = createFairShare({ ...MANY, ...limits });
  const line: string[] = [];
  const leaves: Leave[] = [];
  const ask = (key: string, signal?: AbortSignal) => {
    const turn = share.enter(key, signal);
    const begin = (leave: Leave) => {
      line.push(key);
      leaves.push(leave);
    };
    if (turn instanceof Promise) return turn.then(begin, () => void line.push(`${key} gave up`));
    if (turn === undefined) line.push(`${key} refused`);
    else begin(turn);
    return undefined;
  };
  return { share, line, leaves, ask };
}

/** Ends each turn in the order in which they began. */
async function run(leaves: readonly Leave[], cost: (at: number) => number): Promise<void> {
  for (let at = 0; at < leaves.length; at++) {
    leaves[at]?.(cost(at));
    await Promise.resolve();
  }
}

test.each([
  ["one key keeps its order", "aaa", "aaa"],
  ["a late key goes before the rest of a long queue", "aaaab", "abaaa"],
  ["keys take turns", "aaabbbccc", "abcabcabc"],
])("%s: %s goes as %s", async (_, asked, expected) => {
  const { ask, leaves, line } = openLine();
  for (const key of asked) void ask(key);
  await run(leaves, () => 1);
  expect(line.join("")).toBe(expected);
});

test("a turn that cost ten others is paid with ten turns of waiting", async () => {
  const { ask, leaves, line } = openLine();
  for (const key of `aa${"b".repeat(12)}`) void ask(key);
  await run(leaves, (at) => (line[at] === "a" ? 10 : 1));
  expect(line.join("")).toBe(`a${"b".repeat(10)}abb`);
});

test("a debt is forgotten when nobody waits", async () => {
  const { ask, leaves, line } = openLine();
  void ask("a");
  leaves[0]?.(1_000);
  for (const key of "cab") void ask(key);
  await run(leaves, () => 1);
  expect(line.join("")).toBe("acab");
});

test("a key that has its slots waits, while another goes in past it", async () => {
  const { ask, line, leaves, share } = openLine({ slots: 3, slotsPerKey: 2 });
  for (const key of "aaab") void ask(key);
  await Promise.resolve();
  expect([line.join(""), share.inside, share.waiting]).toEqual(["aab", 3, 1]);
  leaves[2]?.();
  await Promise.resolve();
  expect(line.join("")).toBe("aab");
  leaves[0]?.();
  leaves[0]?.();
  await Promise.resolve();
  expect([line.join(""), share.inside, share.waiting]).toEqual(["aaba", 2, 0]);
});

test("whoever may not wait is refused, by the key's limit and by that of all", () => {
  const { ask, line, share } = openLine({ waiting: 3, waitingPerKey: 2 });
  for (const key of "aaaabb") void ask(key);
  expect(line).toEqual(["a", "a refused", "b refused"]);
  expect([share.waiting, share.refused]).toEqual([3, 2]);
});

test("where nobody waits, a key's slots and all slots are limits on their own", () => {
  const { share } = openLine({ slots: 3, slotsPerKey: 2, waiting: 0, waitingPerKey: 0 });
  const got = ["a", "a", "a", "b", "b"].map((key) => share.enter(key) !== undefined);
  expect(got).toEqual([true, true, false, true, false]);
});

test("a key with room goes in past others that wait for their own slots, also where nobody more may wait", () => {
  const { share } = openLine({ slots: 3, slotsPerKey: 1, waiting: 2, waitingPerKey: 1 });
  for (const key of "aabb") void share.enter(key);
  expect([share.inside, share.waiting]).toEqual([2, 2]);
  expect(share.enter("c")).toBeTypeOf("function");
  expect(share.enter("d")).toBeUndefined();
});

test("a wait that is given up frees its place", async () => {
  const { ask, line, leaves, share } = openLine();
  const [first, second] = [new AbortController(), new AbortController()];
  void ask("a");
  const given = ask("b", first.signal);
  void ask("c", second.signal);
  first.abort(new Error("gone"));
  await given;
  expect([line, share.waiting]).toEqual([["a", "b gave up"], 1]);
  leaves[0]?.();
  await Promise.resolve();
  second.abort();
  expect([line, share.inside, share.waiting]).toEqual([["a", "b gave up", "c"], 1, 0]);
  const late = ask("d", first.signal);
  await late;
  expect(line.at(-1)).toBe("d gave up");
});

test("a hundred thousand keys that came once are not remembered, also while one stays inside", () => {
  const share = createFairShare({ slots: 2, slotsPerKey: 1, waiting: 0, waitingPerKey: 0 });
  const stays = share.tryEnter("stays");
  for (let n = 0; n < 100_000; n++) share.tryEnter(`key ${n}`)?.(5);
  expect(share.keys).toBe(1);
  stays?.();
  expect(share.keys).toBe(0);
});
