import { expect, test } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import { createRuleLog, MOST_CHARACTERS_WAITING, MOST_WAITING, type RuleLogNeeds } from "./rule-log.ts";

type Lines = Parameters<RuleLogNeeds["rules"]["appendLog"]>[0];

/** Records that may be out of order, and that keep what they were given. */
function openLog() {
  const records = { isBroken: false, stored: new Map<string, string[]>(), meanwhile: () => {} };
  let time = 0;
  const log = createRuleLog({
    now: () => instant(time++),
    pause: async () => {},
    shares: createShares(),
    openSessions: { isLive: async () => true },
    rules: {
      async appendLog(lines: Lines) {
        records.meanwhile();
        if (records.isBroken) throw new Error("the disk is full");
        for (const [id, added] of lines)
          records.stored.set(id, [...(records.stored.get(id) ?? []), ...added.map(({ message }) => message)]);
      },
    } as unknown as RuleLogNeeds["rules"],
  });
  return { log, records };
}

test("lines that could not be stored are stored the next time, once and in order", async () => {
  const { log, records } = openLog();
  log.add("a", "info", "one");
  records.isBroken = true;
  await expect(log.flush()).rejects.toThrow("full");
  log.add("a", "info", "two");
  log.add("b", "info", "other");
  await expect(log.flush()).rejects.toThrow("full");
  records.isBroken = false;
  await log.flush();
  await log.flush();
  expect([...records.stored]).toEqual([
    ["a", ["one", "two"]],
    ["b", ["other"]],
  ]);
});

test("a line that comes while others are stored is stored next, and two flushes store nothing twice", async () => {
  const { log, records } = openLog();
  log.add("a", "info", "one");
  records.meanwhile = () => {
    records.meanwhile = () => {};
    log.add("a", "info", "two");
  };
  await Promise.all([log.flush(), log.flush()]);
  expect(records.stored.get("a")).toEqual(["one", "two"]);
});

test("too many lines of a rule are counted, and the log says how many are missing", async () => {
  const { log, records } = openLog();
  records.isBroken = true;
  for (let n = 0; n < MOST_WAITING + 2; n++) {
    log.add("a", "info", `line ${n}`);
    await expect(log.flush()).rejects.toThrow("full");
  }
  log.add("b", "info", "other");
  records.isBroken = false;
  await log.flush();
  const lines = records.stored.get("a") ?? [];
  expect(lines.slice(MOST_WAITING - 1)).toEqual([
    `line ${MOST_WAITING - 1}`,
    "2 lines are missing here: too many waited to be stored",
  ]);
  expect(records.stored.get("b")).toEqual(["other"]);
  log.add("a", "info", "again");
  await log.flush();
  expect(records.stored.get("a")?.slice(MOST_WAITING + 1)).toEqual(["again"]);
});

test("all rules together wait with a limited number of characters, and have room again afterwards", async () => {
  const { log, records } = openLog();
  const long = "x".repeat(4_096);
  const rules = Math.ceil(MOST_CHARACTERS_WAITING / (MOST_WAITING * long.length));
  for (let round = 1; round <= 2; round++) {
    for (let rule = 0; rule <= rules; rule++) for (let n = 0; n < MOST_WAITING; n++) log.add(`${rule}`, "info", long);
    await log.flush();
    const texts = [...records.stored.values()].flat();
    const kept = texts.filter((text) => text === long).length;
    expect(kept).toBe(round * Math.floor(MOST_CHARACTERS_WAITING / long.length));
    const missing = texts.filter((text) => text.includes("missing")).map((text) => Number.parseInt(text, 10));
    expect(kept + missing.reduce((sum, one) => sum + one, 0)).toBe(round * (rules + 1) * MOST_WAITING);
  }
});
