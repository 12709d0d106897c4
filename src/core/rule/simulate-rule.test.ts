import { expect, test } from "vitest";
import { ms, ruleOf } from "../../../test/support/rule-run.ts";
import { simulateRule } from "./simulate-rule.ts";

const FROM = Date.UTC(2026, 5, 1);

function simulate(
  text: string,
  samples: Readonly<Record<string, (minute: number) => number | undefined>>,
  hours = 168,
) {
  const stored = new Map(
    Object.entries(samples).map(([name, valueAt]) => [
      name,
      Array.from({ length: hours * 60 }, (_, minute) => ({
        at: FROM + minute * 60_000,
        value: valueAt(minute),
      })).filter(({ value }) => value !== undefined),
    ]),
  );
  return simulateRule(ruleOf(text), {
    from: FROM,
    to: FROM + hours * 3_600_000,
    timezone: "UTC",
    location: undefined,
    nextCron: () => undefined,
    history: ({ device, attribute }, from, to) =>
      (stored.get(`${device}.${attribute}`) ?? []).filter(({ at }) => at >= from && at <= to),
    variables: new Map([["limit", { value: 2000, at: FROM, causes: [] }]]),
    mostSteps: 50_000,
  });
}

/** The roof gives 5 kW from 10:00 to 14:00. */
const sunny = (minute: number) => (minute % 1440 >= 600 && minute % 1440 < 840 ? -5000 : 1000);

test("a week of surplus charging: how often, how long, and what was claimed", () => {
  const found = simulate(
    `
when: { device: meter, attribute: power, below: { variable: limit, times: -1 } }
for: 5m
then: [{ claim: power, device: charger, target: 4000 }, { notify: The car charges. }]
`,
    { "meter.power": sunny },
  );
  expect(found.started).toBe(7);
  expect(found.onMs).toBe(7 * ms("3h55m"));
  expect(found.effects).toHaveLength(7);
  expect(found.bands).toHaveLength(7);
  expect(found.bands[0]).toEqual({
    device: "charger",
    control: "power",
    claim: "target",
    value: 4000,
    from: FROM + ms("10h5m"),
    to: FROM + ms("14h"),
  });
  const energy = found.bands.reduce((sum, { from, to }) => sum + (4 * (to - from)) / 3_600_000, 0);
  expect(energy).toBeCloseTo(7 * 4 * (235 / 60));
});

test("a claim that follows a value has a band for each value, and ends with its lease where nothing is known", () => {
  const found = simulate(
    `
when: { device: meter, attribute: power, below: 0 }
then: { claim: power, device: charger, target: { device: meter, attribute: power, times: -1 } }
`,
    { "meter.power": (minute) => (minute < 60 ? -1000 : minute < 120 ? -2000 : minute < 180 ? undefined : 500) },
    4,
  );
  const minutes = found.bands.map(({ value, from, to }) => [value, (from - FROM) / 60_000, (to - FROM) / 60_000]);
  expect(minutes.map(([value, from]) => [value, from])).toEqual([
    [1000, 0],
    [2000, 60],
  ]);
  // The last value came in minute 119, is fresh for three minutes, and the lease is a minute.
  expect(minutes[0]?.[2]).toBe(60);
  expect(minutes[1]?.[2]).toBeGreaterThan(122);
  expect(minutes[1]?.[2]).toBeLessThanOrEqual(123);
});

test("a rule that sets its own variable goes on by steps, and has an end", () => {
  const found = simulate(
    "when: [{ variable: limit, above: 10 }, { every: 1h }]\nthen: { set: limit, to: 0 }\nmode: single",
    {},
  );
  expect(found.effects.length).toBe(169);
  const loop = simulate("when: { every: 1s }\nthen: { notify: x }", {}, 24);
  expect(loop.simulatedTo).toBe(FROM + 50_000_000);
});
