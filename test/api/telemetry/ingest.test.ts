// What becomes of values from devices: what is kept, what is left out, and what the device's log says about it.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { ask, type Connected, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
let count = 0;
let device: Connected;

beforeAll(async () => {
  device = await kit.connect("device-0");
});

async function fresh(): Promise<Connected> {
  count++;
  device = await kit.connect(`device-${count}`);
  return device;
}

async function logOf({ id }: Connected): Promise<readonly string[]> {
  const path = `/v3/devices/${id}/logs?limit=1000`;
  const { body } = await busbar.admin.get<{ logs: readonly { severity: string; message: string }[] }>(path);
  return body.logs.map(({ severity, message }) => `${severity}: ${message}`);
}

const last = async ({ id }: Connected, attribute: string) =>
  rowsOf(await ask(busbar.admin, { aggregation: "last", telemetry: [{ device: id, attribute }] }));

/** The message, and what the log says about the value that was left out. The energy beside it must always arrive. */
test.each([
  ['{"power":"high"}', /"power" must be a number, not "high"/],
  ['{"power":true}', /"power" must be a number, not true/],
  ['{"power":NaN}', /"power" must be a number/],
  ['{"power":Infinity}', /"power" must be a number/],
  ['{"power":-Infinity}', /"power" must be a number/],
  ['{"power":1e999}', /"power" must be a number/],
  ['{"power":[1]}', /"power" must be a number, not a list/],
  ['{"running":1}', /"running" must be true or false, not 1/],
  ['{"status":"bussy"}', /"status" must be one of idle, busy, not "bussy"; did you mean busy\?/],
  ['{"note":5}', /"note" must be a text, not 5/],
  ['{"tags":"a"}', /"tags" must be a list of texts/],
  ['{"tags":["a",1]}', /"tags" must be a list of texts/],
  // Its values take level owner, and everybody reads the log.
  ['{"internal":"canary"}', /"internal" must be a number, not a text$/],
  ['{"internal":true}', /"internal" must be a number, not true or false$/],
  ['{"alerts":"hot"}', /"alerts" must be a list of alert ids/],
  ['{"powr":1}', /"powr" is not declared in the blueprint/],
  ['{"__proto__":1}', /"__proto__" is not declared in the blueprint/],
  ['{"constructor":1}', /"constructor" is not declared in the blueprint/],
])("of %s with an energy beside it the energy is kept, and the log says why the rest is not", async (text, problem) => {
  const sender = await fresh();
  await sender.device.publish("v1/telemetry", text.replace("{", '{"timestamp":60,"energy":7,'));
  expect(await last(sender, "energy")).toBe("60,7");
  const log = await logOf(sender);
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(/^warning: telemetry /);
  expect(log[0]).toMatch(problem);
});

test.each([
  ["2.0 is a whole number", '{"timestamp":60,"energy":2.0}', "energy", "60,2"],
  ["an integer of 2^53 - 1 is exact", '{"timestamp":60,"energy":9007199254740991}', "energy", "60,9007199254740991"],
  ["null says nothing", '{"timestamp":60,"power":null,"energy":1}', "power", ""],
  ["an alias leads to its attribute", '{"timestamp":60,"watts":4}', "power", "60,4"],
  ["an empty list of alerts is a value", '{"timestamp":60,"alerts":[]}', "alerts", "60,[]"],
  ["an undeclared alert id is kept", '{"timestamp":60,"alerts":["x"]}', "alerts", '60,"[""x""]"'],
  ["an attribute of type alerts is a list", '{"timestamp":60,"faults":["y"]}', "faults", '60,"[""y""]"'],
])("%s", async (_, text, attribute, rows) => {
  const sender = await fresh();
  await sender.device.publish("v1/telemetry", text);
  expect(await last(sender, attribute)).toBe(rows);
  expect(await logOf(sender)).toEqual([]);
});

test("messages of a device are stored in the order in which they came, alerts or not", async () => {
  const sender = await fresh();
  await sender.send('60 power=1 alerts=["x"]; 60 power=2; 60 power=3 faults=["y"]; 60 power=4');
  expect(await last(sender, "power")).toBe("60,4");
});

test("half a number is no integer", async () => {
  const sender = await fresh();
  await sender.send("60 energy=2.5 power=1");
  expect([await last(sender, "energy"), await last(sender, "power")]).toEqual(["", "60,1"]);
  expect(await logOf(sender)).toEqual(['warning: telemetry "energy" must be a whole number, not 2.5']);
});

test("a clock more than 24 h ahead is refused and logged, one less than that is not", async () => {
  const sender = await fresh();
  const now = Math.floor(Date.now() / 1000);
  await sender.send(`${now + 24 * 3600 + 60} power=1`);
  const warning = "warning: telemetry refused: its time is more than a day ahead of the clock of this gateway";
  expect(await logOf(sender)).toEqual([warning]);
  await sender.send(`${now + 24 * 3600 - 60} power=2`);
  const telemetry = [{ device: sender.id, attribute: "power" }];
  const question = { from: now, to: now + 3 * 24 * 3600, granularity: "1y", aggregation: "count", telemetry };
  expect(rowsOf(await ask(busbar.admin, question)).split(",")[1]).toBe("1");
});

test.each(["1700000000000", "-5", '"noon"', "true"])("a timestamp of %s is refused and logged", async (timestamp) => {
  const sender = await fresh();
  await sender.device.publish("v1/telemetry", `{"timestamp":${timestamp},"power":1}`);
  expect(await logOf(sender)).toEqual([expect.stringMatching(/^warning: message refused: .*timestamp/)]);
  const now = await busbar.admin.get<{ errors: readonly object[] }>(`/telemetry/v1/now?devices[${sender.id}]=power`);
  expect(now.body.errors).toMatchObject([{ code: "no_data" }]);
});

test("a flood of bad values does not become a flood of log", async () => {
  const sender = await fresh();
  await sender.send(Array.from({ length: 100 }, (_, i) => `${i} power=bad`).join(";"));
  const log = await logOf(sender);
  expect(log.length).toBe(10);
  expect(log.at(-1)).toContain("left out for a minute");
});

test("of more than 8 MiB of new texts in an hour the rest is left out and reported, numbers are not", async () => {
  const sender = await fresh();
  const text = "x".repeat(250_000);
  // An hour that is still open: each late text would have all texts of its hour written anew.
  const hour = Math.ceil(Date.now() / 3_600_000) * 3_600;
  for (let i = 0; i < 36; i++) {
    await sender.device.sendTelemetry({ timestamp: hour + i, note: `${i}${text}`, energy: i, alerts: ["full"] });
  }
  const count = async (attribute: string) => {
    const telemetry = [{ device: sender.id, attribute }];
    const range = { from: hour, to: hour + 3_600, granularity: "1h" };
    return rowsOf(await ask(busbar.admin, { ...range, aggregation: "count", telemetry }));
  };
  expect([await count("note"), await count("energy")]).toEqual([`${hour},33`, `${hour},36`]);
  const log = await logOf(sender);
  expect(log).toHaveLength(3);
  expect(log[0]).toBe('warning: telemetry "note" is left out: the device has sent 8 MiB of texts within the hour');
});

test("a device without a blueprint sends nothing that is declared", async () => {
  const body = { name: "Bare", site_id: kit.siteId };
  const { device_id } = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body;
  const refused = await ask(busbar.admin, { telemetry: [{ device: device_id, attribute: "power" }] });
  expect(refused.errors[0]?.code).toBe("attribute_not_found");
});

test("the metrics count the values that are kept and those that are left out", async () => {
  const counted = async () => {
    const { text } = await busbar.anonymous.get("/metrics");
    const of = (outcome: string) =>
      Number(new RegExp(`^busbar_telemetry_values_total{outcome="${outcome}"} (\\d+)$`, "m").exec(text)?.[1]);
    return { kept: of("kept"), leftOut: of("left_out") };
  };
  const sender = await fresh();
  const before = await counted();
  await sender.device.publish("v1/telemetry", '{"timestamp":60,"energy":7,"power":"high","powr":1,"note":null}');
  expect(await counted()).toEqual({ kept: before.kept + 1, leftOut: before.leftOut + 2 });
});
