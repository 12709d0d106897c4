// Triggers in virtual time: what a script would be called for.
import { describe, expect, test } from "vitest";
import { RuleProblem } from "#service/rule/rule-arguments.ts";
import { RuleSiteInTime } from "../../../../test/support/rule-run.ts";
import { readTrigger, scheduleTrigger } from "./read-trigger.ts";
import { createTriggerSet, type TriggerSet } from "./trigger-set.ts";

interface Steps {
  readonly site: RuleSiteInTime;
  readonly set: TriggerSet;
}

function open(site: RuleSiteInTime, memory?: string, looked: () => void = () => {}): Steps {
  const set = createTriggerSet(
    {
      ruleId: "r",
      now: () => site.now,
      look: async () => {
        looked();
        return site.world();
      },
      history: async () => undefined,
      log: () => {},
    },
    memory,
  );
  return { site, set };
}

const add = async ({ set }: Steps, trigger: unknown, hasElse = false) =>
  set.add(await readTrigger({ trigger, hasElse }));

/** What comes in so many seconds, looked at each second. */
async function pass({ site, set }: Steps, seconds: number): Promise<readonly string[]> {
  const came: string[] = [];
  for (let n = 0; n < seconds; n++) {
    for (const one of await set.step()) {
      came.push(`${new Date(one.at).toISOString().slice(11, 19)} ${one.branch}`);
      expect(set.began(one.id)).toEqual({ ...one, calls: 1 });
      set.ended(one.id);
    }
    site.now += 1000;
  }
  return came;
}

const measure = (site: RuleSiteInTime, value: number) => site.stored.set("meter.power", [{ at: site.now, value }]);

const BELOW = { device: "meter", attribute: "power", below: -1000, hysteresis: 500, for: "5s" };

test("a value that stays below for a while calls once, with hysteresis, and the other function when it is over", async () => {
  const steps = open(new RuleSiteInTime());
  await add(steps, BELOW, true);
  measure(steps.site, -1200);
  expect(await pass(steps, 10)).toEqual(["00:00:05 then"]);
  measure(steps.site, -600);
  expect(await pass(steps, 10)).toEqual([]);
  measure(steps.site, 0);
  expect(await pass(steps, 10)).toEqual(["00:00:20 else"]);
});

test("a restart neither forgets `for` nor repeats what has come", async () => {
  const site = new RuleSiteInTime();
  const first = open(site);
  await add(first, BELOW);
  measure(site, -1200);
  expect(await pass(first, 3)).toEqual([]);
  const stored = first.set.memory();
  const second = open(site, stored);
  await add(second, BELOW);
  // What was not stored between the two does not count.
  expect(await pass(second, 10)).toHaveLength(1);
  const third = open(site, second.set.memory());
  await add(third, BELOW);
  expect(await pass(third, 20)).toEqual([]);
});

test("what came and was not begun before a stop comes again, unless it is too late", async () => {
  const site = new RuleSiteInTime();
  const first = open(site);
  const id = await add(first, { every: "10s" });
  await pass(first, 1);
  site.now += 15_000;
  const [firing] = await first.set.step();
  const memory = first.set.memory();
  for (const [later, expected] of [
    [60_000, 1],
    [700_000, 0],
  ] as const) {
    const next = open(site, memory);
    expect(await add(next, { every: "10s" })).toBe(id);
    site.now += later;
    expect(next.set.waiting()).toEqual(expected === 1 ? [firing] : []);
    expect(next.set.waiting()).toEqual([]);
  }
});

test("a function that was begun and did not end is called again after a restart, three times at most", async () => {
  const site = new RuleSiteInTime();
  const first = open(site);
  await add(first, { every: "10s" });
  await pass(first, 1);
  site.now += 10_000;
  const [firing] = await first.set.step();
  if (firing === undefined) throw new Error("the trigger did not come");
  let { set } = first;
  for (const calls of [1, 2, 3]) {
    expect(set.began(firing.id)?.calls).toBe(calls);
    const next = open(site, set.memory());
    await add(next, { every: "10s" });
    set = next.set;
    expect(set.waiting().map(({ id }) => id)).toEqual(calls < 3 ? [firing.id] : []);
  }
  expect(set.began(firing.id)).toBeUndefined();
});

test("a function that has ended is not called again, and is kept until its trace is stored", async () => {
  const site = new RuleSiteInTime();
  const first = open(site);
  await add(first, { every: "10s" });
  await pass(first, 1);
  site.now += 10_000;
  const [firing] = await first.set.step();
  if (firing === undefined) throw new Error("the trigger did not come");
  first.set.began(firing.id);
  first.set.ended(firing.id);
  expect(first.set.began(firing.id)).toBeUndefined();
  const isKept = () => first.set.memory()?.includes(firing.id) ?? false;
  await first.set.step();
  expect(isKept()).toBe(true);
  await first.set.step();
  expect(isKept()).toBe(false);
});

test.each([
  // The clocks go forward at 02:00, and back at 03:00.
  ["30 2 * * *", "2026-03-29", "01:00:00"],
  ["30 2 * * *", "2026-10-25", "00:30:00"],
  ["02:30", "2026-03-29", "01:00:00"],
  ["02:30", "2026-10-25", "00:30:00"],
])("%s on %s of Berlin comes once", async (text, day, utc) => {
  const site = new RuleSiteInTime(`${day}T00:00:00Z`);
  site.timezone = "Europe/Berlin";
  site.now -= 7_200_000;
  const steps = open(site);
  await add(steps, scheduleTrigger(text, {}));
  const came: string[] = [];
  for (let n = 0; n < 8 * 60; n++) {
    came.push(...(await pass(steps, 1)));
    site.now += 59_000;
  }
  expect(came).toEqual([`${utc} then`]);
});

test("a time that came while nothing ran is skipped, or made up for if the script says so", async () => {
  for (const [options, expected] of [
    [{}, []],
    [{ missed: "run_late", late: "1h" }, ["then"]],
  ] as const) {
    const site = new RuleSiteInTime();
    const first = open(site);
    await add(first, scheduleTrigger("00:10", options));
    await pass(first, 1);
    site.now += 1_200_000;
    const next = open(site, first.set.memory());
    await add(next, scheduleTrigger("00:10", options));
    const came: string[] = [];
    for (let n = 0; n < 3; n++) for (const { branch } of await next.set.step()) came.push(branch);
    expect(came).toEqual(expected);
  }
});

test.each([
  [5, "/when"],
  [{ device: "meter" }, "/when"],
  [{ device: "meter", attribute: "power", below: "x" }, "below"],
  [{ cron: "every day" }, "cron"],
  [{ every: "15m", for: "soon" }, "/for"],
  [JSON.parse('{"every": "15m", "then": {"notify": "x"}}'), "then"],
  [Array.from({ length: 30 }, () => ({ every: "15m" })), "/when"],
  [{ device: "x".repeat(30_000), is: "offline" }, "20000"],
])("%j is refused with what is wrong", async (trigger, part) => {
  await expect(readTrigger({ trigger, hasElse: false })).rejects.toThrow(part);
  await expect(readTrigger({ trigger, hasElse: false })).rejects.toBeInstanceOf(RuleProblem);
});

test("a script has a limited number of triggers, and what is stored of them is bounded", async () => {
  const steps = open(new RuleSiteInTime());
  for (let n = 1; n <= 50; n++) await add(steps, { every: `${n}m` });
  await expect(add(steps, { every: "1h" })).rejects.toThrow("at most 50");
  for (let round = 0; round < 5; round++) {
    await steps.set.step();
    steps.set.clear();
    for (let n = 1; n <= 50; n++) await add(steps, { every: `${n + 50 * round}m` });
  }
  await steps.set.step();
  const stored = JSON.parse(steps.set.memory() ?? "{}");
  expect(stored.triggers.length).toBeLessThanOrEqual(100);
});

test.each([
  "",
  "null",
  "5",
  "[]",
  '{"triggers": 5, "pending": {}}',
  '{"triggers": [["a", 5]], "pending": [5, {"id": 1}]}',
])("a damaged memory (%s) is no obstacle", async (memory) => {
  const steps = open(new RuleSiteInTime(), memory);
  await add(steps, { every: "1m" });
  expect(await pass(steps, 61)).toHaveLength(1);
});

describe("ends of commands", () => {
  const PUMPED = { device: "pump", command: "start", ended: "any" };
  const end = (executionId: string) =>
    ({ kind: "ended", executionId, device: ["pump"], command: "start", isSuccess: true, causes: [] }) as const;

  test("one that comes before the trigger was looked at for the first time counts", async () => {
    const steps = open(new RuleSiteInTime());
    await add(steps, PUMPED);
    steps.set.hear(end("1"));
    expect(await pass(steps, 5)).toHaveLength(1);
  });

  test("those that come while others are looked at count once for each trigger", async () => {
    const site = new RuleSiteInTime();
    const coming = [end("1"), end("2"), end("3")];
    const { set } = open(site, undefined, () => {
      const next = coming.shift();
      if (next !== undefined) set.hear(next);
    });
    const steps = { site, set };
    await add(steps, PUMPED);
    await add(steps, { ...PUMPED, if: { device: "meter", attribute: "power", above: -5000 } });
    measure(site, 0);
    expect(await pass(steps, 6)).toHaveLength(6);
    expect(coming).toEqual([]);
  });
});
