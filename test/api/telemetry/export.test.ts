// Every point of a device or a site, streamed, and back by an import.
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, expect, test } from "vitest";
import { runBusbar } from "../../support/run-busbar.ts";
import { useServer } from "../../support/server.ts";
import { useTelemetry } from "../../support/telemetry.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
/** Clocks in Berlin are put forward in between. */
const BEFORE = Date.parse("2026-03-29T00:59:59.500Z") / 1_000;
const AFTER = Date.parse("2026-03-29T01:00:00Z") / 1_000;
let meter = "";

beforeAll(async () => {
  const made = await busbar.admin.get<{ site: { id: string } }>("/v3/site");
  await busbar.admin.patch(`/v3/sites/${made.body.site.id}`, { timezone: "Europe/Berlin" });
  const one = await kit.connect("meter");
  meter = one.id;
  await one.send(`${BEFORE} power=1.5 note="a,b" internal=7; ${AFTER} power=2 running=true`);
  const other = await kit.connect("other");
  await other.send(`${AFTER} energy=9`);
});

const exported = async (query: string, session = busbar.admin) => {
  const answer = await session.get(`/v3/devices/${meter}/telemetry/export?${query}`);
  return answer.text;
};
const ATTRIBUTES = "attributes=power,running,note";

test("a device is a table of its attributes, a row per moment", async () => {
  expect(await exported(ATTRIBUTES)).toBe(
    "ts,telemetry=power device=meter,telemetry=running device=meter,telemetry=note device=meter\n" +
      `${BEFORE}00,1.5,,"a,b"\n${AFTER},2,true,\n`,
  );
});

test.each([
  ["iso", "2026-03-29T00:59:59.500Z", "2026-03-29T01:00:00.000Z"],
  ["local", "2026-03-29T01:59:59.500+01:00", "2026-03-29T03:00:00.000+02:00"],
])("times can be %s", async (time, before, after) => {
  const rows = await exported(`attributes=power&time=${time}`);
  expect(rows.split("\n").slice(1, -1)).toEqual([`${before},1.5`, `${after},2`]);
});

test("a row per value, as CSV and as JSON lines", async () => {
  expect(await exported(`${ATTRIBUTES}&shape=long`)).toBe(
    `ts,device,telemetry,value\n${BEFORE}00,meter,power,1.5\n${BEFORE}00,meter,note,"a,b"\n` +
      `${AFTER},meter,power,2\n${AFTER},meter,running,true\n`,
  );
  const lines = (await exported(`${ATTRIBUTES}&shape=long&form=jsonl&time=iso`)).split("\n").slice(0, -1);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ts: "2026-03-29T00:59:59.500Z", device: "meter", telemetry: "power", value: 1.5 },
    { ts: "2026-03-29T00:59:59.500Z", device: "meter", telemetry: "note", value: "a,b" },
    { ts: "2026-03-29T01:00:00.000Z", device: "meter", telemetry: "power", value: 2 },
    { ts: "2026-03-29T01:00:00.000Z", device: "meter", telemetry: "running", value: true },
  ]);
  const wide = (await exported(`${ATTRIBUTES}&form=jsonl`)).split("\n").slice(0, -1);
  expect(wide.map((line) => JSON.parse(line))).toEqual([
    { ts: BEFORE, device: "meter", power: 1.5, note: "a,b" },
    { ts: AFTER, device: "meter", power: 2, running: true },
  ]);
});

test("Parquet", async () => {
  const { content } = await busbar.admin.get(`/v3/devices/${meter}/telemetry/export?${ATTRIBUTES}&form=parquet`);
  const rows = await parquetReadObjects({ file: content });
  expect(rows).toMatchObject([
    { ts: new Date(BEFORE * 1_000), power: 1.5, note: "a,b" },
    { ts: new Date(AFTER * 1_000), power: 2, running: true },
  ]);
});

test("a site is its devices one after the other", async () => {
  const { text } = await busbar.admin.get(`/v3/sites/${kit.siteId}/telemetry/export?attributes=power,energy`);
  expect(text.split("\n").slice(0, -1).sort()).toEqual([
    `${BEFORE}00,meter,power,1.5`,
    `${AFTER},meter,power,2`,
    `${AFTER},other,energy,9`,
    "ts,device,telemetry,value",
  ]);
});

test("only what the token may read is in it", async () => {
  const reader = busbar.as(await busbar.token({ level: "readonly" }));
  expect(await exported("", busbar.admin)).toContain("telemetry=internal");
  expect(await exported("", reader)).not.toContain("telemetry=internal");
  expect((await reader.get(`/v3/devices/${meter}/telemetry/export?attributes=internal`)).status).toBe(403);
});

test.each([
  ["devices", "attributes=nonsense", 404],
  ["devices", "form=parquet&shape=long", 400],
  ["devices", "timezone=Nowhere", 400],
  ["devices", "from=2026-03-29T00:00:00Z&to=2026-03-29T00:00:00Z", 400],
  ["sites", "shape=wide", 400],
  ["sites", "form=parquet", 400],
])("of %s, %s is refused", async (what, query, status) => {
  const id = what === "sites" ? kit.siteId : meter;
  expect((await busbar.admin.get(`/v3/${what}/${id}/telemetry/export?${query}`)).status).toBe(status);
});

test("the command line writes a file per device, and goes on where a file ends", async () => {
  const folder = join(tempFolder(), "points");
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const run = (...more: string[]) => runBusbar(["export", "meter", "other", "--folder", folder, ...more], { env });
  expect((await run()).code).toBe(0);
  const file = join(folder, "meter.csv");
  const whole = readFileSync(file, "utf8");
  expect(whole).toBe(await exported(""));
  expect((await run()).err).toContain("--resume continues it");
  // Cut in the middle of the last row, and again before any row.
  for (const length of [whole.length - 3, whole.indexOf("\n") + 1, 0]) {
    truncateSync(file, length);
    expect((await run("--resume")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(whole);
  }
  const parquet = ["--form", "parquet", "--resume"];
  writeFileSync(join(folder, "meter.parquet.part"), "half of a file");
  expect((await run(...parquet)).code).toBe(0);
  expect(existsSync(join(folder, "meter.parquet.part"))).toBe(false);
  const { buffer, byteOffset, byteLength } = readFileSync(join(folder, "meter.parquet"));
  const rows = await parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
  expect(rows).toHaveLength(2);
});

test.each([
  ["wide", "csv", "local"],
  ["long", "csv", "unix"],
  ["wide", "jsonl", "iso"],
  ["long", "jsonl", "local"],
  ["wide", "parquet", "unix"],
])("an import reads what an export wrote: %s %s with %s times", async (shape, form, time) => {
  const name = `copy-${shape}-${form}`;
  const copy = await kit.create(name);
  const query = `${ATTRIBUTES}&shape=${shape}&form=${form}&time=${time}`;
  const { content } = await busbar.admin.get(`/v3/devices/${meter}/telemetry/export?${query}`);
  const file = join(tempFolder(), `points.${form}`);
  // The header of a wide CSV names the device, which an import respects.
  const isNamed = shape === "wide" && form === "csv";
  writeFileSync(file, isNamed ? Buffer.from(content).toString().replaceAll(" device=meter", "") : Buffer.from(content));
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const { out, err } = await runBusbar(["telemetry", "import", file, "--device", name], { env });
  expect([out, err]).toEqual(["imported 4 points in 2 rows\n", ""]);
  const { text } = await busbar.admin.get(`/v3/devices/${copy}/telemetry/export?${ATTRIBUTES}`);
  expect(text.replaceAll(`device=${name}`, "device=meter")).toBe(await exported(ATTRIBUTES));
});
