// POST /v3/devices/{id}/telemetry/import: backfill from CSV.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { ask, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
let id: string;
let count = 0;

beforeAll(async () => {
  id = await kit.create("standing");
});

interface Report {
  readonly rows: number;
  readonly points: number;
  readonly problem_count: number;
  readonly problems: readonly { line: number; telemetry?: string; message: string }[];
}

const load = (device: string, bytes: string | Uint8Array, session = busbar.admin) =>
  session.call<Report>("POST", `/v3/devices/${device}/telemetry/import`, {
    bytes,
    headers: { "Content-Type": "text/csv" },
  });

async function fresh(): Promise<string> {
  count++;
  return await kit.create(`device-${count}`);
}

const last = async (device: string, attribute: unknown) =>
  rowsOf(await ask(busbar.admin, { aggregation: "last", telemetry: [{ device, attribute }] }));

test("rows become points of the header's attributes, by the types of the blueprint", async () => {
  const device = await fresh();
  const csv = [
    `ts,telemetry=power device=${device} aggregation=last granularity=1ms,telemetry=energy,telemetry=running,telemetry=note,telemetry=tags`,
    '60.000,1.5,7,true,"a,""b""","[""x"",""y""]"',
    "120.000,-2e3,,false,,",
    "1970-01-01T00:03:00Z,3,8,,line,[]",
  ].join("\r\n");
  const { status, body } = await load(device, csv);
  expect([status, body]).toEqual([200, { rows: 3, points: 11, problem_count: 0, problems: [] }]);
  const { text } = await ask(busbar.admin, {
    aggregation: "last",
    telemetry: [{ device, attribute: ["power", "energy", "running", "note", "tags"] }],
  });
  expect(text.slice(text.indexOf("\n") + 1)).toBe(
    '60,1.5,7,true,"a,""b""","[""x"",""y""]"\n120,-2000,,false,,\n180,3,8,,line,[]\n',
  );
});

test("what a time series answered is read back as it was", async () => {
  const from = await fresh();
  const csv = 'ts,telemetry=p,telemetry=note\n1.5,1,a\n2.5,,""\n3.5,"",\n1700000000.123,0.1,"b\nc"\n';
  await load(from, csv);
  const question = { from: 0, to: 2e9, granularity: "1ms", aggregation: "last" };
  const read = (device: string) =>
    ask(busbar.admin, { ...question, telemetry: [{ device, attribute: ["power", "note"] }] });
  const answer = (await read(from)).text;
  const to = await fresh();
  expect((await load(to, answer)).errors[0]?.message).toContain("of another device");
  expect((await load(to, answer.replaceAll(` device=${from}`, ""))).body.points).toBe(5);
  expect((await read(to)).text).toBe(answer.replaceAll(from, to));
});

test("what does not fit is left out and reported with its line; the rest is stored", async () => {
  const device = await fresh();
  const csv = [
    "ts,telemetry=power,telemetry=status",
    "60,1,idle",
    "soon,2,idle",
    "",
    "120,high,busy",
    "180,3",
    '240,4,"bus',
    'y"',
    "-5,1,idle",
    "1700000000000,1,idle",
    `${Math.floor(Date.now() / 1000) + 2 * 86_400},1,idle`,
    "300,NaN,idle",
  ].join("\n");
  const { body } = await load(device, csv);
  expect(body.problems.map(({ line, telemetry, message }) => [line, telemetry, message])).toEqual([
    [3, undefined, 'the time must be Unix seconds or RFC 3339, not "soon"'],
    [5, "power", 'must be a number, not "high"'],
    [6, undefined, "has 2 cells, but the header has 3"],
    [7, "status", expect.stringContaining("must be one of idle, busy")],
    [9, undefined, "the time must not be before 1970"],
    [10, undefined, "the time can only be milliseconds; give Unix seconds"],
    [11, undefined, "the time is more than a day ahead"],
    [12, "power", 'must be a number, not "NaN"'],
  ]);
  expect(body).toMatchObject({ rows: 9, points: 5, problem_count: 8 });
  expect(await last(device, ["power", "status"])).toBe("60,1,idle 120,,busy 240,4, 300,,idle");
});

test.each([
  ["", "the file is empty"],
  ["\n\n", "the file is empty"],
  ["time,telemetry=power\n", "named ts"],
  ["ts\n", "no column"],
  ["ts,power\n", "no telemetry=<attribute>"],
  ["ts,telemetry=powr\n", "did you mean power?"],
  ["ts,telemetry=power,telemetry=watts\n", "power once more"],
  [Uint8Array.from([0x74, 0x73, 0x2c, 0xff, 0xfe]), "not UTF-8"],
  [`ts,telemetry=note\n0,"${"x".repeat(1_100_000)}`, "does not end"],
])("%j is refused as a whole: %s", async (csv, message) => {
  const refused = await load(id, csv);
  expect(refused.status).toBe(400);
  expect(refused.errors[0]?.message).toContain(message);
});

test.each([
  ['0,1,a\n60,2,"b\n120,3,c\n', 3, undefined, "has a quote that is never closed"],
  [`0,1,a\n60,2,${"x".repeat(256 * 1024 + 1)}\n`, 3, "note", "is longer than 256 KiB"],
])("of a file that ends with something broken the rest is stored (case %#)", async (rows, line, telemetry, message) => {
  const device = await fresh();
  const { body } = await load(device, `ts,telemetry=power,telemetry=note\n${rows}`);
  expect(body.problems).toEqual([{ line, ...(telemetry && { telemetry }), message }]);
  expect(await last(device, "note")).toBe("0,a");
});

test("only the first hundred problems are reported, but all are counted", async () => {
  const rows = Array.from({ length: 250 }, (_, i) => `${i},bad`);
  const { body } = await load(await fresh(), ["ts,telemetry=power", ...rows].join("\n"));
  expect([body.problem_count, body.problems.length]).toEqual([250, 100]);
});

test("an import is the later write, and repeating it changes nothing", async () => {
  const meter = await kit.connect("live");
  await meter.send("60 power=1; 120 power=2");
  const csv = "ts,telemetry=power\n60,10\n0,5\n";
  for (let i = 0; i < 2; i++) {
    await load("live", csv);
    expect(await last("live", "power")).toBe("0,5 60,10 120,2");
  }
  await meter.send("60 power=11");
  await busbar.restart();
  expect(await last("live", "power")).toBe("0,5 60,11 120,2");
});

test("the newest imported value is the current one, unless a newer one is known", async () => {
  const device = await fresh();
  await load(device, "ts,telemetry=power\n100,1\n300,3\n200,2\n");
  const now = () => busbar.admin.get<{ devices: object }>(`/telemetry/v1/now?devices[${device}]=power`);
  expect((await now()).body.devices).toEqual({ [device]: { power: { value: 3, timestamp: 300 } } });
  await load(device, "ts,telemetry=power\n50,9\n");
  expect((await now()).body.devices).toEqual({ [device]: { power: { value: 3, timestamp: 300 } } });
});

test("an imported list of alerts that is the newest one says what is active, and an older one does not", async () => {
  const device = await fresh();
  const active = async () => {
    const { body } = await busbar.admin.get<{ alerts: readonly { id: string }[] }>(`/v3/devices/${device}/alerts`);
    return body.alerts.map((alert) => alert.id).sort();
  };
  await load(device, 'ts,telemetry=faults,telemetry=power\n100,"[""a"",""b""]",1\n');
  expect(await active()).toEqual(["a", "b"]);
  await load(device, 'ts,telemetry=faults\n50,"[""c""]"\n');
  expect(await active()).toEqual(["a", "b"]);
  await load(device, 'ts,telemetry=faults\n150,"[""b""]"\n');
  expect(await active()).toEqual(["b"]);
});

test("a body far larger than others may be is read as it comes, and all of it is there", async () => {
  const device = await fresh();
  const rows = 300_000;
  const lines = Array.from({ length: rows }, (_, i) => `${i},${i % 1000}.5,${i}`);
  const { body } = await load(device, `ts,telemetry=power,telemetry=energy\n${lines.join("\n")}\n`);
  expect(body).toMatchObject({ rows, points: 2 * rows, problem_count: 0 });
  const telemetry = [{ device, attribute: ["power", "energy"] }];
  const answer = await ask(busbar.admin, { to: rows, granularity: "1y", aggregation: "count", telemetry });
  expect(rowsOf(answer)).toBe(`0,${rows},${rows}`);
});

test("it takes the level owner and a token that sees the device, and is in the audit log", async () => {
  const csv = "ts,telemetry=power\n60,1\n";
  expect((await load(id, csv, busbar.as(await busbar.token({ level: "user" })))).status).toBe(403);
  const site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Elsewhere" })).body.site.id;
  const stranger = busbar.as(await busbar.token({ level: "owner", site_ids: [site] }));
  expect((await load(id, csv, stranger)).status).toBe(404);
  expect((await load(id, csv, busbar.as(await busbar.token({ level: "owner" })))).status).toBe(200);
  const { body } = await busbar.admin.get<{ entries: readonly { details: object }[] }>(
    "/v3/audit?action.in=importTelemetry&outcome.in=OK&order=AT_DESC&limit=1",
  );
  expect(body.entries[0]).toMatchObject({ target: { device_id: id }, details: { rows: 1, points: 1, problems: 0 } });
});
