// What rules would have done with stored telemetry: over HTTP, from real stored values, in a thread of its own.
import { beforeAll, expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import { simulateRule } from "#core/rule/simulate-rule.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { type CommandSite, makeCommandSite, upload } from "../../support/command-site.ts";
import { connectFakeDevice } from "../../support/fake-device.ts";
import { randomFrom } from "../../support/random.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const CHARGER = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: kW, display_name: Power}
  surplus: {type: float, unit: W, display_name: Surplus}
  noise: {type: float, unit: W, display_name: Noise}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: kW, min: 0, max: 11, required: true, display_name: Power}
  blink: {group: main, display_name: Blink}
.busbar:
  controls:
    power: {command: set_power, argument: power, unit: W, reads: power, fallback: {value: min}}
`;

const MINUTE = 60_000;
const VALUES = 600;
let site: CommandSite;
let chargerId = "";
/** The first minute. */
let begin = 0;
/** Two hours of surplus in ten: a hill of 3 kW from minute 120 to 239. */
const surplusAt = (n: number) => (n >= 120 && n < 240 ? 3_000 : 0);
const noise: number[] = [];
const client = () => createClient({ url: busbar.url, token: busbar.adminToken });
const yaml = (text: string) =>
  ({ code: Buffer.from(text).toString("base64"), runtime_version: "V3", language: "yaml" }) as const;
const timeOf = (n: number) => new Date(begin + n * MINUTE).toISOString();

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Past");
  chargerId = await site.device("Charger", { blueprint_id: await upload(busbar, CHARGER), slug: "charger" });
  const charger = await connectFakeDevice(await site.configOf(chargerId));
  begin = Math.floor(Date.now() / MINUTE) * MINUTE - (VALUES + 1) * MINUTE;
  const random = randomFrom(7);
  let level = 0;
  for (let n = 0; n < VALUES; n += 1) {
    level = level * 0.9 + (random() - 0.5) * 4;
    noise.push(Number(level.toFixed(3)));
    await charger.sendTelemetry({ timestamp: (begin + n * MINUTE) / 1000, surplus: surplusAt(n), noise: noise.at(-1) });
  }
  await vi.waitFor(
    async () => {
      const { dry_run } = await client().rules.dryRun(site.siteId, {
        script: yaml(SURPLUS),
        from: timeOf(0),
        to: timeOf(VALUES),
      });
      expect(dry_run.bands.length).toBe(1);
    },
    { timeout: 60_000, interval: 500 },
  );
}, 120_000);

const SURPLUS = `name: Surplus
when: { device: charger, attribute: surplus, above: 2000, hysteresis: 500 }
for: 5m
then:
  - { claim: power, device: charger, target: { device: charger, attribute: surplus, times: 0.5 } }
  - { execute: blink, device: charger }
  - { notify: It charges., title: Roof }
  - { set: charging, to: true }
else: { set: charging, to: false }
`;

test("it says when, for how long and with which energy a rule would have claimed, what else it would have done, and why", async () => {
  const before = (await client().rules.list(site.siteId)).total_count;
  const { dry_run: run } = await client().rules.dryRun(site.siteId, {
    script: yaml(SURPLUS),
    from: timeOf(0),
    to: timeOf(VALUES),
  });
  expect(run).toMatchObject({ from: timeOf(0), simulated_to: timeOf(VALUES), started: 1 });
  expect(run.bands).toEqual([
    { device_id: chargerId, control: "power", kind: "target", value: 1_500, from: timeOf(125), to: timeOf(240) },
  ]);
  const seconds = 115 * 60;
  expect(run.on_seconds).toBe(seconds);
  expect(run.claims).toEqual([
    { device_id: chargerId, control: "power", unit: "W", count: 1, seconds, energy_wh: 1_500 * (115 / 60) },
  ]);
  expect(run.effects.map(({ at, kind, text }) => [at, kind, text])).toEqual([
    [timeOf(125), "execute", "blink of charger {}"],
    [timeOf(125), "notify", "Roof: It charges."],
    [timeOf(125), "set", "charging = true"],
    [timeOf(240), "set", "charging = false"],
  ]);
  expect(run.traces.map(({ branch, why }) => [branch, why])).toEqual([
    ["else", "it became false"],
    ["then", "it became true"],
  ]);
  expect(run.problems).toEqual([]);
  // Nothing of it was done or stored.
  expect((await client().rules.list(site.siteId)).total_count).toBe(before);
  expect((await client().rules.variables(site.siteId)).variables).toEqual([]);
  expect((await client().notifications.list(site.siteId)).total_count).toBe(0);
});

test("a stored rule goes by its name, and variables begin as they are given", async () => {
  const text = `when: { device: charger, attribute: surplus, above: { variable: limit } }
then: { notify: above }
`;
  await client().rules.putVariable(site.siteId, "limit", 5_000);
  await client().rules.create(site.siteId, { slug: "limited", script: yaml(text), disable: true });
  const span = { rule: "limited", from: timeOf(0), to: timeOf(VALUES) };
  const now = (await client().rules.dryRun(site.siteId, span)).dry_run;
  expect([now.started, now.problems]).toEqual([0, ["variables began with their values of now: limit"]]);
  const given = (await client().rules.dryRun(site.siteId, { ...span, variables: { limit: 1_000 } })).dry_run;
  expect([given.started, given.problems]).toEqual([1, []]);
});

test("prices of then are those that are stored", async () => {
  const hour = 3_600_000;
  const first = Math.ceil(begin / hour) * hour;
  const rows = Array.from({ length: 8 }, (_, n) => n);
  const prices = rows.map((n) => ({
    from: new Date(first + n * hour).toISOString(),
    duration: "1h",
    price: n === 2 ? 0.1 : n === 4 ? 0.2 : 0.4,
  }));
  const sitePath = `/v3/sites/${site.siteId}`;
  await busbar.admin.put(`${sitePath}/tariff`, { currency: "EUR", versions: [{ import: { type: "prices" } }] });
  await busbar.admin.put(`${sitePath}/prices/import`, { prices });
  const text = "when: { tariff: import, below: 0.3 }\nthen: { notify: cheap }";
  const { dry_run } = await client().rules.dryRun(site.siteId, {
    script: yaml(text),
    from: new Date(first).toISOString(),
    to: new Date(first + 8 * hour).toISOString(),
  });
  expect([dry_run.started, dry_run.on_seconds]).toEqual([2, 7_200]);
  expect(dry_run.effects.map(({ at }) => Date.parse(at) - first)).toEqual([2 * hour, 4 * hour]);
  expect(dry_run.problems).toEqual(["prices count as they are stored now, also before they were known"]);
  await busbar.admin.delete(`${sitePath}/tariff`);
});

test("what is not known of the past is unknown, and it is said", async () => {
  const text = `when:
  - { device: charger, is: offline }
  - { device: charger, control: power, above: 1 }
  - { device: charger, attribute: power, above: 1 }
  - { device: charger, command: blink, ended: any }
then: { notify: never }
`;
  const { dry_run } = await client().rules.dryRun(site.siteId, {
    script: yaml(text),
    from: timeOf(0),
    to: timeOf(VALUES),
  });
  expect([dry_run.started, dry_run.effects]).toEqual([0, []]);
  expect(dry_run.problems).toEqual([
    "nothing is stored of charger.power in this time, so it was unknown",
    "what controlled devices then is not known here, so it was unknown",
    "connections and alerts of then are not known here, so they were unknown",
    "ends of commands did not come",
  ]);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "through the store a rule does what it does with the same values in memory (seed %i)",
  async (seed) => {
    const random = randomFrom(seed);
    const pick = (low: number, high: number) => Number((low + random() * (high - low)).toFixed(2));
    const text = `when: { device: charger, attribute: noise, above: ${pick(-1, 3)}, hysteresis: ${pick(0, 2)} }
for: ${Math.floor(pick(0, 4))}m
min_on: ${Math.floor(pick(0, 9))}m
then:
  - { claim: power, device: charger, target: { device: charger, attribute: noise, times: 100, min: 0, max: 11000 } }
  - { wait: ${1 + Math.floor(pick(0, 4))}m }
  - { execute: blink, device: charger }
else: { notify: over }
`;
    const [from, to] = [begin, begin + VALUES * MINUTE];
    const samples = noise.map((value, n) => ({ at: begin + n * MINUTE, value }));
    const { rule } = parseRule(text);
    if (rule === undefined) throw new Error("the rule has errors");
    const past = { from, to, timezone: "UTC", location: undefined, nextCron: () => undefined, variables: new Map() };
    const wanted = simulateRule(rule, { ...past, history: () => samples });
    const { dry_run: run } = await client().rules.dryRun(site.siteId, {
      script: yaml(text),
      from: timeOf(0),
      to: timeOf(VALUES),
    });
    expect(run.started).toBe(wanted.started);
    expect(run.bands.map(({ value, from: at, to: end }) => [value, Date.parse(at), Date.parse(end)])).toEqual(
      wanted.bands.map(({ value, from: at, to: end }) => [value, at, end]),
    );
    expect(run.effects.map(({ at, kind, key }) => [Date.parse(at), kind, key])).toEqual(
      wanted.effects.map(({ at, effect }) => [at, effect.kind, effect.key]),
    );
  },
);

const span = () => ({ from: timeOf(0), to: timeOf(10) });
test.each([
  ["both a script and a rule", () => ({ ...span(), script: yaml(SURPLUS), rule: "limited" }), 400],
  ["neither", span, 400],
  ["no time", () => ({ from: "2026-02-30T00:00:00Z", to: timeOf(1), script: yaml(SURPLUS) }), 400],
  ["the future", () => ({ from: "2099-01-01T00:00:00Z", to: "2099-01-02T00:00:00Z", script: yaml(SURPLUS) }), 400],
  ["32 days", () => ({ from: "2026-01-01T00:00:00Z", to: "2026-02-02T00:00:00Z", script: yaml(SURPLUS) }), 400],
  ["a rule with errors", () => ({ ...span(), script: yaml("when: 5") }), 400],
  ["a variable that none can be", () => ({ ...span(), script: yaml(SURPLUS), variables: { __proto__x: "" } }), 400],
  ["a rule that does not exist", () => ({ ...span(), rule: "nobody" }), 404],
])("refused: %s", async (_, body, status) => {
  const answer = await busbar.admin.post(`/v3/sites/${site.siteId}/rule_engine/dry_run`, body());
  expect([answer.status, answer.errors.length]).toEqual([status, 1]);
});

test("one dry run at a time for a token, and one that nobody waits for makes room", async () => {
  // Each second something happens, for 31 days.
  const busy = yaml("when: { every: 1s }\nmode: parallel\nthen: [{ set: a, to: 1 }, { set: b, to: 2 }]\n");
  const long = { script: busy, from: new Date(Date.now() - 30 * 86_400_000).toISOString(), to: timeOf(VALUES) };
  const leaving = new AbortController();
  const first = client().perform("dryRunRule", {
    params: { site_id: site.siteId },
    body: long,
    signal: leaving.signal,
  });
  const gone = expect(first).rejects.toThrow();
  await vi.waitFor(
    async () => {
      const second = await busbar.admin.post(`/v3/sites/${site.siteId}/rule_engine/dry_run`, {
        ...long,
        from: timeOf(0),
        to: timeOf(1),
      });
      expect(second.status).toBe(429);
    },
    { timeout: 20_000, interval: 10 },
  );
  leaving.abort();
  await gone;
  await vi.waitFor(
    async () => {
      const again = await client().rules.dryRun(site.siteId, {
        script: yaml(SURPLUS),
        from: timeOf(0),
        to: timeOf(VALUES),
      });
      expect(again.dry_run.started).toBe(1);
    },
    { timeout: 20_000, interval: 100 },
  );
});

test("a script is tried with the same past", async () => {
  const text = `local charger = enapter.device('charger')
scheduler.add(60000, function()
  local surplus = charger.telemetry.now('surplus', { max_age = '2m' })
  if surplus and surplus > 2000 then charger.claim('power', 4000) else charger.release('power') end
end)
on({ device = 'charger', attribute = 'surplus', above = 2000 }, function() notify('surplus') end)`;
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3" } as const;
  const { dry_run } = await client().rules.dryRun(site.siteId, { script, from: timeOf(0), to: timeOf(VALUES) });
  expect(dry_run).toMatchObject({ problems: [], on_seconds: null, simulated_to: timeOf(VALUES) });
  expect(dry_run.bands).toMatchObject([{ device_id: chargerId, control: "power", kind: "target", value: 4000 }]);
  const [band] = dry_run.bands;
  expect(Date.parse(band?.to ?? "") - Date.parse(band?.from ?? "")).toBe(120 * MINUTE);
  expect(dry_run.effects).toMatchObject([{ kind: "notify", text: "surplus", at: timeOf(120) }]);
});
