// Rules that start each other in a circle, by everything that one rule can do and another one can wait for. The ninth in a row is
// not run; what people do is no link of such a chain, and neighbours go on, also beside rules that claim without an end.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeCommandSite, upload } from "../../support/command-site.ts";
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

const devices: FakeDevice[] = [];
let blueprint = "";
beforeAll(async () => {
  blueprint = await upload(busbar, CHARGER);
});
afterAll(() => {
  for (const device of devices) device.drop();
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

interface Trace {
  readonly outcome: string;
  readonly branch: string;
  readonly causes: readonly string[];
}

/** One for each test, so that they run beside each other: rules look once a second, and that is most of what a test waits for. */
async function makeSite(name: string) {
  const site = await makeCommandSite(busbar, name);
  const engine = `/v3/sites/${site.siteId}/rule_engine`;

  async function connect(slug: string): Promise<{ readonly id: string; readonly device: FakeDevice }> {
    const id = await site.device(slug, { blueprint_id: blueprint, slug });
    const device = await connectFakeDevice(await site.configOf(id));
    devices.push(device);
    device.onCommand(async (command) => {
      if (command.name === "set_power") await device.sendTelemetry({ power: command.arguments["power"] });
      await command.completed({});
    });
    return { id, device };
  }
  const [charger, neighbour] = [await connect("charger"), await connect("neighbour")];

  const setVariable = async (variable: string, value: unknown) =>
    expect((await busbar.admin.put(`/v3/sites/${site.siteId}/variables/${variable}`, { value })).errors).toEqual([]);
  async function create(slug: string, text: string, language: "yaml" | "lua"): Promise<void> {
    const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", language };
    expect((await busbar.admin.post(`${engine}/rules`, { slug, script })).errors).toEqual([]);
  }
  const tracesOf = async (slug: string) =>
    (await busbar.admin.get<{ traces: readonly Trace[] }>(`${engine}/rules/${slug}/traces`)).body.traces;
  const logOf = async (slug: string) => {
    const path = `${engine}/rules/${slug}/logs?limit=1000`;
    const { body } = await busbar.admin.get<{ logs: readonly { message: string }[] }>(path);
    return body.logs.map(({ message }) => message).reverse();
  };

  let wish = 1_000;
  /** Its claim follows what a person wants, and the device gets it; its counter has left out nothing and begun once. */
  async function neighboursGoOn(): Promise<void> {
    wish += 500;
    await setVariable("wish", wish);
    await vi.waitFor(() => {
      const told = neighbour.device.commands.filter((command) => command.name === "set_power");
      expect(told.at(-1)?.arguments).toEqual({ power: wish });
    }, PATIENT);
    const before = (await logOf("ticks")).length;
    await vi.waitFor(async () => expect((await logOf("ticks")).length).toBeGreaterThan(before + 3), PATIENT);
    const ticks = (await logOf("ticks")).map((line) => Number(line.split(" ")[1]));
    expect(ticks).toEqual(ticks.map((_, n) => (ticks[0] ?? 0) + n));
  }

  for (const variable of ["circle", "go", "seen"]) await setVariable(variable, false);
  await setVariable("turn", "nobody");
  await setVariable("wish", wish);
  await create("steady", STEADY, "yaml");
  await create("ticks", TICKS, "lua");
  return {
    ...{ engine, charger, setVariable, create, tracesOf, logOf, neighboursGoOn },
    execute: (command: string) =>
      busbar.admin.post<{ execution: { id: string } }>(`/v3/devices/${charger.id}/commands/executions`, {
        name: command,
      }),
  };
}
type Site = Awaited<ReturnType<typeof makeSite>>;

const LOOP = "8 rules have started each other in a row; this one was not run";

interface Circle {
  readonly name: string;
  readonly language: "yaml" | "lua";
  readonly rules: readonly [string, string];
  readonly start: (site: Site) => Promise<unknown>;
}

/** Whose turn it is: at first nobody's, so that neither rule begins before the test does. */
const passOn = (from: string, to: string) =>
  `when: { variable: turn, equals: ${from} }\nthen: { set: turn, to: ${to} }\n`;
const luaPassOn = (from: string, to: string) =>
  `on({ variable = 'turn', equals = '${from}' }, function() variables.set('turn', '${to}') end)
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
    rules: [passOn("first", "second"), passOn("second", "first")],
    start: (site) => site.setVariable("turn", "first"),
  },
  {
    name: "variables, in Lua",
    language: "lua",
    rules: [luaPassOn("first", "second"), luaPassOn("second", "first")],
    start: (site) => site.setVariable("turn", "first"),
  },
  {
    name: "commands, in YAML",
    language: "yaml",
    rules: [answer("ping", "pong"), answer("pong", "ping")],
    start: (site) => site.execute("ping"),
  },
  {
    name: "commands, in Lua",
    language: "lua",
    rules: [luaAnswer("ping", "pong"), luaAnswer("pong", "ping")],
    start: (site) => site.execute("ping"),
  },
  {
    name: "a claim that ends itself",
    language: "yaml",
    rules: [TAKES, STAYS_OFF],
    start: (site) => site.setVariable("circle", true),
  },
  {
    name: "commands that count as claims",
    language: "yaml",
    rules: [drives(4000, 8000), drives(5000, 1000)],
    start: async (site) => {
      await site.setVariable("circle", true);
      // A claim of a person would count more than those of rules.
      await site.create("kick", "enapter.device('charger').commands.execute('set_power', { power = 1000 })", "lua");
    },
  },
];

test.concurrent.each(CIRCLES)("rules that start each other by $name end after eight runs in a row", async (circle) => {
  const { name, language, rules, start } = circle;
  const site = await makeSite(`Circle of ${name}`);
  const slugs = ["first", "second"];
  for (const [n, slug] of slugs.entries()) await site.create(slug, rules[n] ?? "", language);
  await vi.waitFor(async () => {
    const states = slugs.map(async (slug) => {
      const { body } = await busbar.admin.get<{ rule: { state: string } }>(`${site.engine}/rules/${slug}`);
      return body.rule.state;
    });
    expect(await Promise.all(states)).toEqual(["STARTED", "STARTED"]);
    // A script has started before it has come to what it waits for.
    if (language === "lua") for (const slug of slugs) expect(await site.logOf(slug)).toContain("waits");
  }, PATIENT);
  await start(site);
  const lines = async () => (await Promise.all(slugs.map(site.logOf))).flat();
  await vi.waitFor(async () => expect((await lines()).filter((line) => line === LOOP)).toHaveLength(1), PATIENT);
  // It has ended: nothing of it goes on.
  const after = (await lines()).length;
  await site.neighboursGoOn();
  expect((await lines()).length).toBe(after);
  if (language === "lua") return;
  const traces = (await Promise.all(slugs.map(site.tracesOf))).flat();
  const loops = traces.filter(({ outcome }) => outcome === "loop");
  expect(loops.map(({ causes }) => causes.length)).toEqual([9]);
  const ran = traces.filter(({ outcome, branch }) => outcome === "ran" && branch === "then");
  expect(Math.max(...ran.map(({ causes }) => causes.length))).toBe(8);
});

/** As fast as a script can ask: it waits for each answer, and has a budget of calls. */
const CLAIMS = `local charger = enapter.device('charger')
local n = 0
while true do
  n = (n + 1) % 10000
  charger.claim('power', n)
end`;

test.concurrent("rules that claim without an end cost neighbours nothing, and are one claim each", async () => {
  const site = await makeSite("Floods");
  const floods = ["flood-1", "flood-2", "flood-3"];
  for (const slug of floods) await site.create(slug, CLAIMS, "lua");
  type Claims = { readonly control: { readonly winner: object | null; readonly losers: readonly object[] } };
  const path = `/v3/devices/${site.charger.id}/controls/power`;
  const claims = async () => {
    const { winner, losers } = (await busbar.admin.get<Claims>(path)).body.control;
    return winner === null ? losers : [winner, ...losers];
  };
  await vi.waitFor(async () => expect((await claims()).length).toBe(floods.length), PATIENT);
  await site.neighboursGoOn();
  const person = await busbar.admin.post<{ execution: { state: string } }>(
    `/v3/devices/${site.charger.id}/commands/execute`,
    { name: "ping" },
  );
  expect(person.body.execution.state).toBe("SUCCESS");
  await site.neighboursGoOn();
  expect((await claims()).length).toBe(floods.length);
  await busbar.admin.post(`${site.engine}/rules/batch_disable`, { rule_ids: floods });
  await vi.waitFor(async () => expect(await claims()).toEqual([]), PATIENT);
});

test.concurrent("what a person executes is led to by no rule, whatever rules execute meanwhile", async () => {
  const site = await makeSite("Person");
  const { device } = site.charger;
  // It keeps them open.
  device.onCommand(() => {});
  const begins = "when: { variable: go, equals: true }\nthen: { execute: ping, device: charger }\n";
  const hears = "when: { device: charger, command: ping, ended: any }\nmode: parallel\nthen: { notify: Ping. }\n";
  await site.create("begins", begins, "yaml");
  await site.create("hears", hears, "yaml");
  const isOpen = (n: number) => vi.waitFor(() => expect(device.commands).toHaveLength(n), PATIENT);
  await site.setVariable("go", true);
  await isOpen(1);
  await site.execute("ping");
  await isOpen(2);
  const [ofRule, ofPerson] = device.commands;
  await ofPerson?.completed({});
  const causes = async () => (await site.tracesOf("hears")).map((trace) => trace.causes.length).reverse();
  await vi.waitFor(async () => expect(await causes()).toEqual([1]), PATIENT);
  await ofRule?.completed({});
  await vi.waitFor(async () => expect(await causes()).toEqual([1, 2]), PATIENT);
});
