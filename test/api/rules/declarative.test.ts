// Rules in YAML on a gateway, with a real device: what they claim, command and set, also across a restart.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, makeCommandSite, upload } from "../../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../../support/fake-device.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const CHARGER = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: kW, display_name: Power}
  surplus: {type: float, unit: kW, display_name: Surplus}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: kW, min: 0, max: 11, required: true, display_name: Power}
  blink: {group: main, display_name: Blink}
  ping: {group: main, display_name: Ping}
  pong: {group: main, display_name: Pong}
.busbar:
  controls:
    power: {command: set_power, argument: power, unit: W, reads: power, fallback: {value: min}}
`;

let site: CommandSite;
let engine = "";
let chargerId = "";
let charger: FakeDevice;
let power = 0;
let blinks = 0;

async function connect(): Promise<void> {
  charger = await connectFakeDevice(await site.configOf(chargerId));
  charger.onCommand(async (command) => {
    if (command.name === "blink") blinks += 1;
    else if (command.name === "set_power") power = Number(command.arguments["power"]);
    await command.completed({});
    await charger.sendTelemetry({ power });
  });
}

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Declarative");
  engine = `/v3/sites/${site.siteId}/rule_engine`;
  chargerId = await site.device("Charger", { blueprint_id: await upload(busbar, CHARGER), slug: "charger" });
  await connect();
});
afterAll(() => charger.drop());

interface Rule {
  readonly rule: {
    readonly state: string;
    readonly script: { readonly runtime_version: string; readonly language: string };
    readonly explanation: { readonly text: string } | null;
  };
}

const create = (slug: string, text: string, more: object = {}) => {
  const code = Buffer.from(text).toString("base64");
  const script = { code, runtime_version: "V3", language: "yaml", ...more };
  return busbar.admin.post<Rule>(`${engine}/rules`, { slug, script });
};
const ruleOf = async (slug: string) => (await busbar.admin.get<Rule>(`${engine}/rules/${slug}`)).body.rule;
const remove = (slug: string) => busbar.admin.delete(`${engine}/rules/${slug}`);
const patiently = { timeout: 60_000, interval: 200 };

async function logOf(slug: string): Promise<readonly string[]> {
  const { body } = await busbar.admin.get<{ logs: readonly { message: string }[] }>(
    `${engine}/rules/${slug}/logs?limit=1000`,
  );
  return body.logs.map(({ message }) => message).reverse();
}

interface Control {
  readonly control: {
    readonly value: number | null;
    readonly winner: { readonly class: string; readonly reason: string } | null;
  };
}
const controlOf = async () => (await busbar.admin.get<Control>(`/v3/devices/${chargerId}/controls/power`)).body.control;

const SURPLUS = `name: Charge from surplus
when:
  - { device: charger, attribute: surplus, above: 2, hysteresis: 0.5, unit: kW }
then:
  - claim: power
    device: charger
    target: { device: charger, attribute: surplus, unit: W, max: 11000 }
    reason: There is more than the house takes.
  - execute: blink
    device: charger
else:
  - set: last_end
    to: over
`;

test("a rule holds a claim while its condition is true, follows its value, gives it back, and repeats no command after a restart", async () => {
  const made = await create("surplus", SURPLUS);
  expect([made.errors, made.body.rule.state]).toEqual([[], "STARTED"]);
  const feed = (surplus: number) => charger.sendTelemetry({ surplus, power });
  await feed(1);
  expect(await ruleOf("surplus")).toMatchObject({
    state: "STARTED",
    script: { runtime_version: "V3", language: "yaml" },
  });
  await feed(3);
  await vi.waitFor(async () => {
    const reason = "There is more than the house takes.";
    expect(await controlOf()).toMatchObject({ value: 3000, winner: { class: "rule", reason } });
    expect([power, blinks]).toEqual([3, 1]);
  }, patiently);
  await feed(4);
  await vi.waitFor(async () => expect([power, (await controlOf()).value]).toEqual([4, 4000]), patiently);

  await busbar.restart();
  await connect();
  await feed(5);
  await vi.waitFor(async () => expect([power, (await controlOf()).value]).toEqual([5, 5000]), patiently);
  expect(blinks).toBe(1);

  await feed(1);
  await vi.waitFor(async () => {
    expect([(await controlOf()).value, power]).toEqual([null, 0]);
    const { body } = await busbar.admin.get<{ variables: readonly { name: string; value: unknown }[] }>(
      `/v3/sites/${site.siteId}/variables`,
    );
    expect(body.variables).toContainEqual(expect.objectContaining({ name: "last_end", value: "over" }));
  }, patiently);
  expect(await logOf("surplus")).toEqual(["then: it became true", "else: it became false"]);
  expect((await ruleOf("surplus")).explanation?.text).toBe("it became false");
  await remove("surplus");
});

test("a rule that is disabled gives back what it claims", async () => {
  await create("always", SURPLUS.replace("above: 2, hysteresis: 0.5", "below: 100"));
  await charger.sendTelemetry({ surplus: 6 });
  await vi.waitFor(async () => expect((await controlOf()).value).toBe(6000), patiently);
  await busbar.admin.post(`${engine}/rules/always/disable`, {});
  await vi.waitFor(async () => expect((await controlOf()).value).toBeNull(), patiently);
  await remove("always");
});

test("a moment starts a rule each time, and the end of a command starts another one", async () => {
  const before = blinks;
  await create("blink", "when:\n  - every: 1s\nthen:\n  - execute: blink\n    device: charger\n");
  await create(
    "after",
    "when:\n  - { device: charger, command: blink, ended: success }\nthen:\n  - set: blinked\n    to: true\n",
  );
  await vi.waitFor(async () => {
    expect(blinks).toBeGreaterThanOrEqual(before + 2);
    expect(await logOf("after")).toContain("then: its time has come");
  }, patiently);
  await remove("blink");
  await remove("after");
});

test("mistakes are refused before anything is stored, all at once, each with line and column", async () => {
  const wrong = await create("wrong", "when:\n  - { device: charger, atribute: power, above: x }\nthen: []\n");
  expect(wrong.status).toBe(400);
  expect(wrong.errors[0]?.message).toMatch(/line 2, column \d+: .*line \d+, column \d+: /s);
  expect((await create("timed", SURPLUS, { exec_interval: "5s" })).errors[0]).toMatchObject({
    details: { pointer: "/script/exec_interval" },
  });
  expect((await busbar.admin.get(`${engine}/rules/wrong`)).status).toBe(404);
});

test("two rules that start each other by commands end after eight runs in a row", async () => {
  const echo = (other: string) =>
    `when: { device: charger, command: ${other}, ended: any }\nmode: parallel\nthen: { execute: ${other === "ping" ? "pong" : "ping"}, device: charger }\n`;
  expect((await create("ping", echo("pong"))).errors).toEqual([]);
  expect((await create("pong", echo("ping"))).errors).toEqual([]);
  await vi.waitFor(async () => expect((await ruleOf("ping")).state).toBe("STARTED"), patiently);
  await busbar.admin.post(`/v3/devices/${chargerId}/commands/execute`, { name: "ping" });
  const tracesOf = async (slug: string) => {
    type Traces = { readonly traces: readonly { readonly outcome: string; readonly causes: readonly string[] }[] };
    return (await busbar.admin.get<Traces>(`${engine}/rules/${slug}/traces`)).body.traces;
  };
  await vi.waitFor(async () => {
    const all = [...(await tracesOf("ping")), ...(await tracesOf("pong"))];
    expect(all.filter(({ outcome }) => outcome === "loop").map(({ causes }) => causes.length)).toEqual([9]);
    expect(
      all
        .filter(({ outcome }) => outcome === "ran")
        .map(({ causes }) => causes.length)
        .sort(),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  }, patiently);
  await remove("ping");
  await remove("pong");
});

test("a rule knows what energy costs, hears of new prices at once, and does nothing while none is known", async () => {
  const prices = (price: number | null, from: number) =>
    busbar.admin.put(`/v3/sites/${site.siteId}/prices/import`, {
      prices: [{ from: new Date(from).toISOString(), duration: "3h", price }],
    });
  const quarter = Math.floor(Date.now() / 900_000) * 900_000;
  const text =
    "when: { tariff: import, below: 0.2 }\nthen: { set: price_is, to: low }\nelse: { set: price_is, to: high }";
  const refused = await create("prices", text);
  expect(refused.errors[0]?.message).toContain("the site has no tariff");
  await busbar.admin.put(`/v3/sites/${site.siteId}/tariff`, {
    currency: "EUR",
    versions: [{ import: { type: "prices", add: 0.1 } }],
  });
  expect((await create("prices", text)).errors).toEqual([]);
  const variable = async () =>
    (
      await busbar.admin.get<{ variables: readonly { name: string; value: unknown }[] }>(
        `/v3/sites/${site.siteId}/variables`,
      )
    ).body.variables.find(({ name }) => name === "price_is")?.value;
  await prices(0.05, quarter);
  await vi.waitFor(async () => expect(await variable()).toBe("low"), patiently);
  await prices(0.3, quarter);
  await vi.waitFor(async () => expect(await variable()).toBe("high"), patiently);
  await prices(null, quarter);
  // Unknown, and then low: only low turns it on again.
  await prices(0.05, quarter);
  await vi.waitFor(async () => expect(await variable()).toBe("low"), patiently);
  await remove("prices");
});
