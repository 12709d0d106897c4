import { describe, expect, test } from "vitest";
import { limitsOf, Watched } from "../../../test/support/interlock-site.ts";
import { randomFrom } from "../../../test/support/random.ts";

const SECOND = 1000;
const HOT = {
  kind: "condition",
  when: { device: "room", attribute: "temperature", above: 40, hysteresis: 2 },
  hold_for: "10s",
  limits: [{ device: "charger", control: "power", max: 0 }],
};

test("a condition has a hysteresis and a minimum time, and holds where nothing is known", () => {
  const watched = new Watched(HOT);
  const at = (second: number, celsius: number | undefined) => {
    const now = second * SECOND;
    if (celsius !== undefined) watched.readings["room.temperature"] = { value: celsius, at: now };
    const { state, limits, since } = watched.evaluate(now);
    return `${state} since ${since / SECOND}${limits.length > 0 ? " limits" : ""}`;
  };
  expect(at(0, undefined)).toBe("blind since 0 limits");
  expect(at(5, 37)).toBe("holding since 5 limits"); // The minimum time of what held while nothing was known.
  expect(at(10, 37)).toBe("idle since 10");
  expect(at(20, 40)).toBe("idle since 10");
  expect(at(21, 40.1)).toBe("holding since 21 limits");
  expect(at(25, 30)).toBe("holding since 21 limits");
  expect(at(31, 39)).toBe("holding since 21 limits");
  expect(at(32, 38)).toBe("idle since 32");
  expect(at(61, undefined)).toBe("idle since 32");
  expect(at(62, undefined)).toBe("blind since 62 limits");
  // Nobody knows how it was before a start: between the thresholds it holds.
  watched.restart();
  expect(at(70, 39)).toBe("holding since 70 limits");
});

test("a measurement from the future, or one that is no number, is unknown", () => {
  const watched = new Watched(HOT);
  for (const [value, at] of [
    [20, 100_000],
    [Number.NaN, 0],
    [Infinity, 0],
    [null, 0],
  ] as const) {
    watched.readings = { "room.temperature": { value, at } };
    expect(watched.evaluate(0).state).toBe("blind");
  }
});

describe("until the first value comes", () => {
  const begun = (document: object, at = 1_000_000) => {
    const watched = new Watched(document);
    watched.begunAt = at;
    return watched;
  };

  test("a condition limits claims and commands, and leaves alone what nobody controls", () => {
    const watched = begun(HOT);
    const outcome = watched.evaluate(1_005_000);
    expect(outcome).toMatchObject({
      state: "waiting",
      since: 1_000_000,
      why: "the first value of temperature of room has not come yet",
    });
    expect(outcome.limits).toMatchObject([{ isHolding: false, isWaiting: true }]);
    // Nothing has held, so no minimum time begins.
    watched.readings = { "room.temperature": { value: 20, at: 1_006_000 } };
    expect(watched.evaluate(1_006_000)).toMatchObject({ state: "idle", limits: [] });
  });

  test("between the thresholds it holds, as after any start without a memory", () => {
    const watched = begun(HOT);
    watched.evaluate(1_005_000);
    watched.readings = { "room.temperature": { value: 39, at: 1_006_000 } };
    expect(watched.evaluate(1_006_000).state).toBe("holding");
  });

  test.each([
    ["a value of before counts as none", { value: 20, at: 900_000 }, "waiting"],
    ["a value that came and is too old counts as missing", { value: 20, at: 1_000_500 }, "blind"],
    ["a value that came and is no number, too", { value: "x", at: 1_039_000 }, "holding"],
    ["so does one from the future", { value: 20, at: 2_000_000 }, "blind"],
  ])("%s", (_, reading, state) => {
    const watched = begun(HOT);
    watched.readings = { "room.temperature": reading };
    expect(watched.evaluate(1_040_000).state).toBe(state);
  });

  test("what held before a restart goes on holding, and so does what was blind", () => {
    for (const value of [50, undefined]) {
      const watched = new Watched(HOT);
      if (value !== undefined) watched.readings = { "room.temperature": { value, at: 1_000_000 } };
      expect(watched.evaluate(1_000_000).state).toBe(value === undefined ? "blind" : "holding");
      watched.store(1_000_000);
      watched.startAgain(1_050_000);
      watched.begunAt = 1_050_000;
      expect(watched.evaluate(1_051_000)).toMatchObject({ state: "blind", limits: [{ isHolding: true }] });
    }
  });

  test("what was idle before a restart waits, and remembers on which side of its thresholds it was", () => {
    const watched = new Watched(HOT);
    watched.readings = { "room.temperature": { value: 20, at: 1_000_000 } };
    watched.evaluate(1_000_000);
    watched.store(1_000_000);
    watched.startAgain(1_050_000);
    watched.begunAt = 1_050_000;
    expect(watched.evaluate(1_051_000).state).toBe("waiting");
    watched.readings = { "room.temperature": { value: 39, at: 1_052_000 } };
    expect(watched.evaluate(1_052_000).state).toBe("idle");
  });

  test("loads of a connection are not told their safe values, and get no more than these", () => {
    const watched = begun(GRID);
    watched.loadings = { "charger.power": { current: 6_000, wanted: 8_000 } };
    const outcome = watched.evaluate(1_005_000);
    expect(outcome).toMatchObject({
      state: "waiting",
      why: "the first measurement of the connection has not come yet",
    });
    expect(limitsOf(outcome)).toEqual([
      "charger.power<=1000",
      "battery.discharge>=0",
      "heater.on<=0",
      "battery.discharge<=0",
    ]);
    watched.readings = { "meter.power": { value: 5, at: 1_006_000 } };
    expect(watched.evaluate(1_006_000).state).toBe("idle");
    watched.begunAt = undefined;
    expect(watched.evaluate(1_040_000).state).toBe("blind");
  });

  test("the signal of the grid operator waits for nothing", () => {
    const from = { device: "contact", attribute: "dim" };
    const limits = [{ device: "charger", control: "power", max: 0 }];
    const outcome = begun({ kind: "grid_signal", from, limits }).evaluate(1_005_000);
    expect([outcome.state, limitsOf(outcome)]).toEqual(["init", ["charger.power<=0!"]]);
  });
});

test("`keep` keeps what was known for a time, and then limits", () => {
  const watched = new Watched({ ...HOT, when_unknown: "keep", keep_for: "1m", hold_for: "0s" });
  watched.readings = { "room.temperature": { value: 20, at: 0 } };
  expect(watched.evaluate(0).state).toBe("idle");
  expect(watched.evaluate(29_000).state).toBe("idle");
  expect(watched.evaluate(88_000).state).toBe("idle");
  expect(watched.evaluate(89_000).state).toBe("blind");
});

test("random temperatures: as a plain reading of all that was measured says", () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = randomFrom(seed);
    const watched = new Watched(HOT);
    let isTrue = true;
    let trueSince = 0;
    let last: { at: number; value: number } | undefined;
    for (let second = 0; second < 120; second += 1) {
      const now = second * SECOND;
      if (random() < (second % 60 < 30 ? 0.5 : 0.02)) last = { at: now, value: 35 + random() * 8 };
      if (last !== undefined) watched.readings = { "room.temperature": last };
      const isUnknown = last === undefined || now - last.at >= 30_000;
      const wasTrue = isTrue;
      if (isUnknown || (last?.value ?? 0) > 40) isTrue = true;
      else if ((last?.value ?? 0) <= 38 && !(second > 0 && wasTrue && now - trueSince < 10_000)) isTrue = false;
      if (isTrue && (!wasTrue || second === 0)) trueSince = now;
      const outcome = watched.evaluate(now);
      expect([seed, second, outcome.state, outcome.limits.length]).toEqual([
        seed,
        second,
        isUnknown ? "blind" : isTrue ? "holding" : "idle",
        isTrue ? 1 : 0,
      ]);
    }
  }
});

const GRID = {
  kind: "connection",
  meter: { device: "meter", attribute: "power" },
  max_import: 10_000,
  max_export: 4_000,
  release_after: "60s",
  loads: [
    { device: "charger", control: "power", safe: 1_000 },
    { device: "battery", control: "discharge", effect: "feeds" },
    { device: "heater", control: "on", per_unit: 2_000 },
  ],
};

test("a connection: what is left for the loads, in their order and in both directions", () => {
  const watched = new Watched(GRID);
  watched.loadings = {
    "charger.power": { current: 6_000, wanted: 8_000 },
    "battery.discharge": { current: 1_000, wanted: undefined },
    "heater.on": { current: 1, wanted: undefined },
  };
  // 5 kW = 6 kW charger - 1 kW battery + 2 kW heater - 2 kW of others, which feed.
  watched.readings = { "meter.power": { value: 5, at: 0 } };
  // 13 kW are left for charging with what the battery gives, and the heater takes 2 of them.
  expect(limitsOf(watched.evaluate(0))).toEqual(["battery.discharge>=-3000"]);
  watched.readings = { "meter.power": { value: 14, at: 1000 } };
  // Others take 7 kW: the charger gets 4 kW, and the heater nothing.
  const outcome = watched.evaluate(1000);
  expect(limitsOf(outcome)).toEqual(["charger.power<=4000!", "battery.discharge>=0", "heater.on<=0!"]);
  expect(outcome.state).toBe("holding");
});

test("a connection that nothing measures leaves its loads their safe values", () => {
  const watched = new Watched(GRID);
  watched.readings = { "meter.power": { value: 0, at: 0 } };
  expect(watched.evaluate(29_000).state).toBe("idle");
  const outcome = watched.evaluate(30_000);
  expect(outcome).toMatchObject({ state: "blind", why: "the measurement of the connection is unknown" });
  expect(limitsOf(outcome)).toEqual([
    "charger.power<=1000!",
    "battery.discharge>=0!",
    "heater.on<=0!",
    "battery.discharge<=0!",
  ]);
});

test("what a load really draws counts, not what it is set to", () => {
  const watched = new Watched({ ...GRID, loads: [{ device: "charger", control: "power", draws: "drawn" }] });
  watched.loadings = { "charger.power": { current: 11_000, wanted: undefined } };
  watched.readings = { "charger.drawn": { value: 0, at: 0 }, "meter.power": { value: 9, at: 0 } };
  expect(limitsOf(watched.evaluate(0))).toEqual(["charger.power<=1000!"]);
});

test("circuits: each phase of each circuit above a load counts", () => {
  const watched = new Watched({
    kind: "circuits",
    circuits: [
      {
        name: "main",
        max_current: 50,
        meter: { device: "meter", attributes: ["current_l1", "current_l2", "current_l3"] },
      },
      { name: "garage", parent: "main", max_current: 32, unmeasured: 2 },
    ],
    loads: [
      { device: "charger", control: "current", circuit: "garage", least: 6 },
      { device: "second", control: "current", circuit: "garage", phases: [1], least: 6 },
    ],
  });
  const measure = (at: number, ...amperes: readonly number[]) => {
    for (const [n, value] of amperes.entries()) watched.readings[`meter.current_l${n + 1}`] = { value, at };
    return limitsOf(watched.evaluate(at));
  };
  watched.loadings = { "charger.current": { current: 16, wanted: 16 }, "second.current": { current: 16, wanted: 16 } };
  // The garage has 30 A on L1.
  expect(measure(0, 32, 16, 16)).toEqual(["charger.current<=16", "second.current<=14!"]);
  // Others take 20 A on L3 and 30 A on L1, so 20 A are left there: 16 for the first, and 4 are of no use to the second.
  expect(measure(1000, 62, 16, 36)).toEqual(["charger.current<=16", "second.current<=0!"]);
  expect(measure(2000, 62, 16, 62)).toEqual(["charger.current<=0!", "second.current<=0!"]);
});

test("a load counts for all circuits above its own, however many, and children come before parents", () => {
  const names = ["main", "house", "floor", "wing", "room", "corner", "socket"];
  const watched = new Watched({
    kind: "circuits",
    circuits: names.map((name, n) => ({
      name,
      max_current: 50,
      ...(n > 0 && { parent: names[n - 1] }),
      ...(n === 6 && { meter: { device: "meter", attributes: ["current_l1", "current_l2", "current_l3"] } }),
      ...(n > 0 && n < 6 && { unmeasured: 5 }),
    })),
    loads: [{ device: "charger", control: "current", circuit: "socket" }],
  });
  for (const phase of [1, 2, 3]) watched.readings[`meter.current_l${phase}`] = { value: 20, at: 0 };
  watched.loadings = { "charger.current": { current: 16, wanted: 32 } };
  // 4 A of others in the socket, and 5 A in each of the five circuits between: 21 A are left in the house.
  expect(limitsOf(watched.evaluate(0))).toEqual(["charger.current<=21!"]);
});

/** A plant in simulated time: others draw what they like, and loads do what they are allowed to. */
function plant(seed: number, sharing: "order" | "proportional") {
  const random = randomFrom(seed);
  const watched = new Watched({
    ...GRID,
    max_export: undefined,
    sharing,
    loads: [
      { device: "charger", control: "power" },
      { device: "second", control: "power" },
    ],
  });
  const names = ["charger", "second"] as const;
  const values = { charger: 0, second: 0 };
  const wanted = { charger: 0, second: 0 };
  const mosts = { charger: 11_000, second: 11_000 };
  const changedAt = { charger: -Infinity, second: -Infinity };
  let others = 2_000;
  let worst = 0;
  let flaps = 0;
  let falls = 0;
  for (let second = 0; second < 1_800; second += 1) {
    const now = second * SECOND;
    if (random() < 0.02) others = random() * 12_000;
    others = Math.max(0, others + (random() - 0.5) * 200);
    for (const name of names) if (random() < 0.01) wanted[name] = Math.floor(random() * 11_000);
    watched.readings = { "meter.power": { value: (others + values.charger + values.second) / 1000, at: now } };
    for (const name of names) watched.loadings[`${name}.power`] = { current: values[name], wanted: wanted[name] };
    const { limits } = watched.evaluate(now);
    for (const name of names) {
      const most = limits.find((limit) => limit.deviceId === name)?.value ?? 11_000;
      if (most > mosts[name] && now - changedAt[name] < 60_000) flaps += 1;
      if (most < mosts[name]) falls += 1;
      if (most !== mosts[name]) changedAt[name] = now;
      mosts[name] = most;
      values[name] = Math.min(wanted[name], most);
    }
    worst = Math.max(worst, others + values.charger + values.second - Math.max(10_000, others));
  }
  return { worst, flaps, falls };
}

test("a simulated plant: one cycle later the connection is within its limit, and nothing flaps", () => {
  let falls = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const played = plant(seed, seed % 2 === 0 ? "order" : "proportional");
    expect(played.worst, `seed ${seed}`).toBeLessThan(1e-6);
    expect(played.flaps, `seed ${seed}`).toBe(0);
    falls += played.falls;
  }
  expect(falls).toBeGreaterThan(100);
});

test("a limit falls at once, and rises when more was free for a minute", () => {
  const watched = new Watched({ ...GRID, loads: [GRID.loads[0]] });
  watched.loadings = { "charger.power": { current: 4_000, wanted: 8_000 } };
  const at = (second: number, others: number) => {
    watched.readings = { "meter.power": { value: (others + 4_000) / 1000, at: second * SECOND } };
    return limitsOf(watched.evaluate(second * SECOND))[0] ?? "free";
  };
  expect(at(0, 4_000)).toBe("charger.power<=6000!");
  expect(at(1, 7_000)).toBe("charger.power<=3000!");
  expect(at(2, 2_000)).toBe("charger.power<=3000!");
  expect(at(30, 5_000)).toBe("charger.power<=3000!");
  // It had 5 kW all the time.
  expect(at(62, 1_000)).toBe("charger.power<=5000!");
  expect(at(63, 4_900)).toBe("charger.power<=5000!");
  expect(at(200, 4_900)).toBe("charger.power<=5000!");
});
