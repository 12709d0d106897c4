// Rules that start each other in a circle, by everything that one rule can do and another one can wait for. The ninth in a row is
// not run; what people do is no link of such a chain, and neighbours go on, also beside rules that claim without an end.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, makeCommandSite, upload } from "../../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../../support/fake-device.ts";
import { PATIENT } from "../../support/patient.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const CHARGER = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: W, min: 0, max: 11000, required: true, display_name: Power}
  ping: {group: main, display_name: Ping}
  pong: {group: main, display_name: Pong}
.busbar:
  controls:
    power: {command: set_power, argument: power, unit: W, reads: power, fallback: {value: min}}
`;

let site: CommandSite;
let engine = "";
const ids = new Map<string, string>();
const devices = new Map<string, FakeDevice>();
/** What the charger answers a command with; another one keeps it open. */
let isHeld = false;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Loops");
  engine = `/v3/sites/${site.siteId}/rule_engine`;
  const blueprint = await upload(busbar, CHARGER);
  for (const slug of ["charger", "neighbour"]) {
    const id = await site.device(slug, { blueprint_id: blueprint, slug });
    ids.set(slug, id);
    const device = await connectFakeDevice(await site.configOf(id));
    device.onCommand(async (command) => {
      if (slug === "charger" && isHeld) return;
      if (command.name === "set_power") await device.sendTelemetry({ power: command.arguments["power"] });
      await command.completed({});
    });
    devices.set(slug, device);
  }
  for (const [name, value] of [
    ["wish", 1],
    ["circle", false],
    ["go", false],
    ["flip", false],
    ["lua_flip", false],
    ["seen", false],
  ] as const) {
    await setVariable(name, value);
  }
  await create("steady", STEADY, "yaml");
  await create("ticks", TICKS, "lua");
});
afterAll(() => {
  for (const device of devices.values()) device.drop();
});

/** What the neighbours do all the time: one follows a variable, one counts. */
const STEADY = `when: { every: 1s }
then:
  - { claim: power, device: neighbour, target: { variable: wish, unknown: 1 }, hold: 1m }
`;
const TICKS = `local n = 0
scheduler.add(200, function()
  n = n + 1
  enapter.log('tick ' .. n .. ' ' .. tostring(#enapter.devices()))
end)`;

async function create(slug: string, text: string, language: "yaml" | "lua"): Promise<void> {
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", language };
  expect((await busbar.admin.post(`${engine}/rules`, { slug, script })).errors).toEqual([]);
}

interface Trace {
  readonly outcome: string;
  readonly branch: string;
  readonly causes: readonly string[];
}
const tracesOf = async (slug: string) =>
  (await busbar.admin.get<{ traces: readonly Trace[] }>(`${engine}/rules/${slug}/traces`)).body.traces;
const logOf = async (slug: string) => {
  const path = `${engine}/rules/${slug}/logs?limit=1000`;
  const { body } = await busbar.admin.get<{ logs: readonly { message: string }[] }>(path);
  return body.logs.map(({ message }) => message).reverse();
};
const setVariable = async (name: string, value: unknown) =>
  expect((await busbar.admin.put(`/v3/sites/${site.siteId}/variables/${name}`, { value })).errors).toEqual([]);
const execute = (name: string) =>
  busbar.admin.post<{ execution: { id: string } }>(`/v3/devices/${ids.get("charger")}/commands/executions`, {
    name,
  });

let wish = 1_000;
let circles = 0;

/** Its claim follows what a person wants, and the device gets it; its counter has left out nothing and begun once. */
async function neighboursGoOn(): Promise<void> {
  wish += 500;
  await setVariable("wish", wish);
  await vi.waitFor(() => {
    const told = devices.get("neighbour")?.commands.filter(({ name }) => name === "set_power");
    expect(told?.at(-1)?.arguments).toEqual({ power: wish });
  }, PATIENT);
  const before = (await logOf("ticks")).length;
  await vi.waitFor(async () => expect((await logOf("ticks")).length).toBeGreaterThan(before + 3), PATIENT);
  const ticks = (await logOf("ticks")).map((line) => Number(line.split(" ")[1]));
  expect(ticks).toEqual(ticks.map((_, n) => (ticks[0] ?? 0) + n));
}

const LOOP = "8 rules have started each other in a row; this one was not run";

interface Circle {
  readonly name: string;
  readonly language: "yaml" | "lua";
  readonly rules: readonly [string, string];
  readonly start: () => Promise<unknown>;
}

const flip = (from: boolean) => `when: { variable: flip, equals: ${from} }\nthen: { set: flip, to: ${!from} }\n`;
const luaFlip = (from: boolean) =>
  `on({ variable = 'lua_flip', equals = ${from} }, function() variables.set('lua_flip', ${!from}) end)
enapter.log('waits')`;
const answer = (to: string, by: string) =>
  `when: { device: charger, command: ${to}, ended: any }\nmode: parallel\nthen: { execute: ${by}, device: charger }\n`;
const luaAnswer = (to: string, by: string) =>
  `on({ device = 'charger', command = '${to}', ended = 'any' }, function()
  enapter.device('charger').commands.execute('${by}')
end)
enapter.log('waits')`;

/** Each waits for what the other one does to the control. */
const TAKES = `when: { device: charger, control: power, held_by: nobody }
if: { variable: circle, equals: true }
then: { claim: power, device: charger, target: 3000 }
`;
const STAYS_OFF = `when: { device: charger, control: power, above: 2000 }
then: { set: seen, to: true }
`;
const drives = (value: number, to: number) =>
  `when: { device: charger, control: power, ${to > value ? "below" : "above"}: ${value} }
if: { variable: circle, equals: true }
then: { execute: set_power, device: charger, arguments: { power: ${to} } }
`;

const CIRCLES: readonly Circle[] = [
  {
    name: "variables, in YAML",
    language: "yaml",
    rules: [flip(true), flip(false)],
    start: () => setVariable("flip", true),
  },
  {
    name: "variables, in Lua",
    language: "lua",
    rules: [luaFlip(true), luaFlip(false)],
    start: () => setVariable("lua_flip", true),
  },
  {
    name: "commands, in YAML",
    language: "yaml",
    rules: [answer("ping", "pong"), answer("pong", "ping")],
    start: () => execute("ping"),
  },
  {
    name: "commands, in Lua",
    language: "lua",
    rules: [luaAnswer("ping", "pong"), luaAnswer("pong", "ping")],
    start: () => execute("ping"),
  },
  {
    name: "a claim that ends itself",
    language: "yaml",
    rules: [TAKES, STAYS_OFF],
    start: () => setVariable("circle", true),
  },
  {
    name: "commands that count as claims",
    language: "yaml",
    rules: [drives(4000, 8000), drives(5000, 1000)],
    start: async () => {
      await setVariable("circle", true);
      // A claim of a person would count more than those of rules.
      await create("kick", "enapter.device('charger').commands.execute('set_power', { power = 1000 })", "lua");
    },
  },
];

test.each(CIRCLES)(
  "rules that start each other by $name end after eight runs in a row",
  async ({ language, rules, start }) => {
    await setVariable("circle", false);
    const slugs = [`a-${++circles}`, `b-${circles}`];
    for (const [n, slug] of slugs.entries()) await create(slug, rules[n] ?? "", language);
    await vi.waitFor(async () => {
      const states = slugs.map(async (slug) => {
        const { body } = await busbar.admin.get<{ rule: { state: string } }>(`${engine}/rules/${slug}`);
        return body.rule.state;
      });
      expect(await Promise.all(states)).toEqual(["STARTED", "STARTED"]);
      // A script has started before it has come to what it waits for.
      if (language === "lua") for (const slug of slugs) expect(await logOf(slug)).toContain("waits");
    }, PATIENT);
    await start();
    await vi.waitFor(async () => {
      const lines = (await Promise.all(slugs.map(logOf))).flat();
      expect(lines.filter((line) => line === LOOP)).toHaveLength(1);
    }, PATIENT);
    // It has ended: nothing of it goes on.
    const runs = async () => (await Promise.all(slugs.map(logOf))).flat().length;
    const after = await runs();
    await neighboursGoOn();
    expect(await runs()).toBe(after);
    if (language === "yaml") {
      const traces = (await Promise.all(slugs.map(tracesOf))).flat();
      const loops = traces.filter(({ outcome }) => outcome === "loop");
      expect(loops.map(({ causes }) => causes.length)).toEqual([9]);
      const ran = traces.filter(({ outcome, branch }) => outcome === "ran" && branch === "then");
      expect(Math.max(...ran.map(({ causes }) => causes.length))).toBe(8);
    }
    for (const slug of slugs) expect((await busbar.admin.delete(`${engine}/rules/${slug}`)).status).toBe(200);
  },
);

/** As fast as a script can ask: it waits for each answer, and has a budget of calls. */
const CLAIMS = `local charger = enapter.device('charger')
local n = 0
while true do
  n = (n + 1) % 10000
  charger.claim('power', n)
end`;

test("rules that claim without an end cost neighbours nothing, and are one claim each", async () => {
  const floods = ["flood-1", "flood-2", "flood-3"];
  for (const slug of floods) await create(slug, CLAIMS, "lua");
  type Claims = { readonly control: { readonly winner: object | null; readonly losers: readonly object[] } };
  const path = `/v3/devices/${ids.get("charger")}/controls/power`;
  const claims = async () => {
    const { winner, losers } = (await busbar.admin.get<Claims>(path)).body.control;
    return winner === null ? losers : [winner, ...losers];
  };
  await vi.waitFor(async () => expect((await claims()).length).toBe(floods.length), PATIENT);
  await neighboursGoOn();
  const person = await busbar.admin.post<{ execution: { state: string } }>(
    `/v3/devices/${ids.get("charger")}/commands/execute`,
    { name: "ping" },
  );
  expect(person.body.execution.state).toBe("SUCCESS");
  await neighboursGoOn();
  expect((await claims()).length).toBe(floods.length);
  await busbar.admin.post(`${engine}/rules/batch_disable`, { rule_ids: floods });
  await vi.waitFor(async () => expect(await claims()).toEqual([]), PATIENT);
});

test("what a person executes is led to by no rule, whatever rules execute meanwhile", async () => {
  isHeld = true;
  await create("begins", "when: { variable: go, equals: true }\nthen: { execute: ping, device: charger }\n", "yaml");
  await create(
    "hears",
    "when: { device: charger, command: ping, ended: any }\nmode: parallel\nthen: { notify: Ping. }\n",
    "yaml",
  );
  const charger = devices.get("charger");
  const isOpen = (n: number) => vi.waitFor(() => expect(pings()).toHaveLength(n), PATIENT);
  const earlier = charger?.commands.length ?? 0;
  const pings = () => charger?.commands.slice(earlier).filter(({ name }) => name === "ping") ?? [];
  await setVariable("go", true);
  await isOpen(1);
  await execute("ping");
  await isOpen(2);
  isHeld = false;
  const [ofRule, ofPerson] = pings();
  await ofPerson?.completed({});
  const causes = async () => (await tracesOf("hears")).map((trace) => trace.causes.length).reverse();
  await vi.waitFor(async () => expect(await causes()).toEqual([1]), PATIENT);
  await ofRule?.completed({});
  await vi.waitFor(async () => expect(await causes()).toEqual([1, 2]), PATIENT);
  for (const slug of ["begins", "hears"]) await busbar.admin.delete(`${engine}/rules/${slug}`);
});
