// The telemetry commands against a whole Busbar.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { runBusbar, withFolder } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";
import { useTelemetry } from "../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);

const run = (command: string | readonly string[], world: object = {}) =>
  runBusbar(command, { env: { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken }, ...world });

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send("60 power=1.5 status=idle energy=5; 120 power=2 running=true; 240 power=4 status=busy");
});

test("now shows the latest values with their units and times", async () => {
  const { code, out } = await run("now meter:power,status,note");
  expect(code).toBe(0);
  expect(out).toBe(
    [
      "DEVICE  ATTRIBUTE  VALUE  UNIT  TIME",
      "meter   power      4      kW    1970-01-01T00:04:00.000Z",
      "meter   status     busy   -     1970-01-01T00:04:00.000Z",
      "meter   note       -      -     -",
      "",
    ].join("\n"),
  );
});

test("now without attributes shows all of them, and -o json the answer of the interface", async () => {
  const { out } = await run("now meter");
  for (const name of ["power", "energy", "running", "status", "note", "tags"]) expect(out).toContain(`meter   ${name}`);
  const json = JSON.parse((await run("now meter:power -o json")).out) as object;
  expect(json).toEqual({ devices: { meter: { power: { value: 4, timestamp: 240 } } }, errors: [] });
});

test("now tells what cannot be read", async () => {
  expect((await run("now meter:powr")).err).toContain("did you mean power?");
  expect(await run("now nobody:power")).toMatchObject({ code: 4 });
});

const RANGE = "--from 0 --to 300 -g 1m";

test("query prints a table", async () => {
  const { out } = await run(`telemetry query meter:power,status ${RANGE}`);
  expect(out).toBe(
    [
      "TIME                      meter:power kW  meter:status",
      "1970-01-01T00:01:00.000Z  1.5             idle",
      "1970-01-01T00:02:00.000Z  2               -",
      "1970-01-01T00:04:00.000Z  4               busy",
      "",
    ].join("\n"),
  );
});

test("query prints the interface's CSV, and JSON with typed values", async () => {
  const csv = await run(`telemetry query meter:power -a max --fill locf:1h ${RANGE} -o csv`);
  expect(csv.out).toBe(
    "ts,telemetry=power device=meter aggregation=max granularity=1m gap_filling_method=locf gap_filling_look_around=1h\n" +
      "60,1.5\n120,2\n180,2\n240,4\n",
  );
  const json = JSON.parse(
    (await run(`telemetry query meter:running,status meter:energy ${RANGE} -o json`)).out,
  ) as object;
  expect(json).toEqual({
    columns: [
      { device: "meter", attribute: "running", type: "boolean" },
      { device: "meter", attribute: "status", type: "string" },
      { device: "meter", attribute: "energy", type: "integer" },
    ],
    rows: [
      [60, null, "idle", 5],
      [120, true, null, null],
      [240, null, "busy", null],
    ],
  });
});

test("query draws a chart, also into a pipe, and a table when not asked to", async () => {
  const command = `telemetry query meter:power,status --chart ${RANGE}`;
  const plain = stripVTControlCharacters((await run(command, { isTTY: true })).out);
  expect(plain).toContain("[kW]  ━━ meter:power 4");
  expect(plain).toMatch(/[\u2801-\u28ff]/);
  expect(plain).toMatch(/idle {2}█ busy/);
  expect((await run(command)).out).toContain("━━ meter:power 4");
  expect((await run(command.replace("--chart ", ""))).out).toMatch(/^TIME /);
});

test("query without a granularity takes what fits the range", async () => {
  const { out } = await run("telemetry query meter:power --from 0 --to 300 -o csv");
  expect(out).toContain("granularity=5s");
  expect((await run("telemetry query meter:power")).err).toContain("nothing is known in this range");
});

test.each([
  ["telemetry query meter", "which attributes of meter?"],
  ["telemetry query meter:power --from 5 --to 1", "--from must be before --to"],
  ["telemetry query meter:power --from soon", "--from must be"],
  ["telemetry query meter:power -g often", "--granularity must be"],
  ["telemetry query meter:power --fill linear", "--fill must be"],
  ["telemetry query meter:power -a mean", "mean"],
  ["telemetry export meter:power", "--from"],
  ["now meter:power --watch never", "--watch must be"],
])("%s is wrong usage: %s", async (command, message) => {
  const { code, err } = await run(command);
  expect([code, err.includes(message)], err).toEqual([2, true]);
});

test("what is exported is imported as it was", async () => {
  await kit.create("copy");
  await withFolder(async (folder) => {
    const file = join(folder, "points.csv");
    const exported = await run("telemetry export meter:power,status,running --from 0 --to 300");
    expect(exported).toMatchObject({ code: 0, err: "exported 3 rows\n" });
    writeFileSync(file, exported.out.replaceAll(" device=meter", ""));
    expect(await run(["telemetry", "import", file, "--device", "copy"])).toMatchObject({
      code: 0,
      out: "imported 6 points in 3 rows\n",
    });
    const again = await run("telemetry export copy:power,status,running --from 0 --to 300");
    expect(again.out.replaceAll("device=copy", "device=meter")).toBe(exported.out);
    expect(readFileSync(file, "utf8")).toMatch(/^ts,telemetry=power aggregation=last granularity=1ms,/);
  });
});

test("a long export comes in stretches and is complete, without a row twice", async () => {
  await kit.create("long");
  // More than a million rows: no single answer may have them.
  const rows = 1_200_000;
  await withFolder(async (folder) => {
    const file = join(folder, "long.csv");
    writeFileSync(file, `ts,telemetry=power\n${Array.from({ length: rows }, (_, i) => `${i},${i % 10}\n`).join("")}`);
    const { out, code } = await run(["telemetry", "import", file, "-d", "long"]);
    expect([code, out]).toEqual([0, `imported ${rows} points in ${rows} rows\n`]);
    const exported = await run(`telemetry export long:power --from 0 --to ${rows}`);
    expect(exported.err).toBe(`exported ${rows} rows\n`);
    const times = exported.out
      .split("\n")
      .slice(1, -1)
      .map((line) => Number(line.split(",")[0]));
    expect(times.length).toBe(rows);
    expect(times.every((time, i) => time === i)).toBe(true);
  });
}, 120_000);

test("an import tells what was left out by the line of the file, and fails", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "bad.csv");
    writeFileSync(file, "ts,telemetry=power\n1,1\n2,x\nsoon,3\n");
    const { code, out, err } = await run(["telemetry", "import", file, "-d", "meter"]);
    expect([code, out]).toEqual([1, "imported 1 points in 3 rows\n"]);
    expect(err).toBe(
      'line 3, power: must be a number, not "x"\nline 4: the time must be Unix seconds or RFC 3339, not "soon"\n',
    );
  });
});

test("an import reads standard input", async () => {
  await kit.create("piped");
  async function* input() {
    yield Buffer.from("ts,telemetry=pow");
    yield Buffer.from("er\n5,7\n");
  }
  const { code, out } = await run("telemetry import - --device piped", { stdin: input() });
  expect([code, out]).toEqual([0, "imported 1 points in 1 rows\n"]);
});
