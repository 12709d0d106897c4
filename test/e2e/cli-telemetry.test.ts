// The telemetry commands against a whole Busbar.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
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

test("now reports what cannot be read, and then fails", async () => {
  const wrong = await run("now meter:power,powr");
  expect(wrong.out).toMatch(/meter +power +4 /);
  expect([wrong.code, wrong.err]).toEqual([4, 'the device has no telemetry attribute "powr"; did you mean power?\n']);
  const reader = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: await busbar.token({ level: "readonly" }) };
  expect((await run("now meter:internal", { env: reader })).code).toBe(3);
});

test.each([
  "now metre",
  "telemetry query metre:power",
  "telemetry export metre --from -1h",
  "telemetry import - -d metre",
  "alerts metre",
  "events --device metre",
  "device get metre",
  "device logs metre",
  "run metre reset",
])("%s says which device may be meant", async (command) => {
  async function* stdin() {
    yield Buffer.from("ts,telemetry=power\n1,1\n");
  }
  const { code, err } = await run(command, { stdin: stdin() });
  expect([code, err.includes("did you mean meter?")], err).toEqual([4, true]);
});

test("now --watch shows the values again and again until the person ends it, one JSON object a line", async () => {
  const interrupt = Promise.withResolvers<void>();
  let lines = 0;
  const onWrite = (text: string) => {
    lines += text.split("\n").length - 1;
    if (lines === 3) interrupt.resolve();
  };
  const { code, out } = await run("now meter:power --watch 100ms -o json", { interrupt: interrupt.promise, onWrite });
  expect(code).toBe(0);
  const answers = out.trimEnd().split("\n");
  expect(answers.length).toBeGreaterThanOrEqual(3);
  for (const line of answers) expect(JSON.parse(line)).toMatchObject({ devices: { meter: { power: { value: 4 } } } });
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
      { device: "meter", attribute: "running", type: "boolean", aggregation: "last", granularity: "1m" },
      { device: "meter", attribute: "status", type: "string", aggregation: "last", granularity: "1m" },
      { device: "meter", attribute: "energy", type: "integer", aggregation: "avg", granularity: "1m" },
    ],
    rows: [
      [60, null, "idle", 5],
      [120, true, null, null],
      [240, null, "busy", null],
    ],
  });
});

test("query takes settings of each series, and the others are for the rest", async () => {
  const series = "meter:power@aggregation=max,granularity=2m meter:power meter:status@fill=locf:1h";
  const csv = await run(`telemetry query ${series} ${RANGE} -o csv`);
  expect(csv.out.split("\n").slice(0, 4)).toEqual([
    "ts,telemetry=power device=meter aggregation=max granularity=2m,telemetry=power device=meter aggregation=avg granularity=1m," +
      "telemetry=status device=meter aggregation=last granularity=1m gap_filling_method=locf gap_filling_look_around=1h",
    "0,1.5,,",
    "60,,1.5,idle",
    "120,2,2,idle",
  ]);
  expect((await run(`telemetry query ${series} ${RANGE}`)).out).toBe(
    [
      "TIME                      meter:power max 2m kW  meter:power kW  meter:status",
      "1970-01-01T00:00:00.000Z  1.5                    -               -",
      "1970-01-01T00:01:00.000Z  -                      1.5             idle",
      "1970-01-01T00:02:00.000Z  2                      2               idle",
      "1970-01-01T00:03:00.000Z  -                      -               idle",
      "1970-01-01T00:04:00.000Z  4                      4               busy",
      "",
    ].join("\n"),
  );
});

test("min_max is two columns: in a table, a chart, CSV and JSON", async () => {
  const wide = await kit.connect("wide");
  await wide.send("60 power=1; 61 power=9; 62 power=2; 120 power=5");
  for (const query of [`wide:power -a min_max ${RANGE}`, `wide:power@aggregation=min_max ${RANGE}`]) {
    expect((await run(`telemetry query ${query}`)).out).toBe(
      [
        "TIME                      wide:power min kW  wide:power max kW",
        "1970-01-01T00:01:00.000Z  1                  9",
        "1970-01-01T00:02:00.000Z  5                  5",
        "",
      ].join("\n"),
    );
    expect((await run(`telemetry query ${query} --chart`)).out).toContain(
      "[kW]  ━━ wide:power min 5   ━━ wide:power max 5",
    );
    expect((await run(`telemetry query ${query} -o csv`)).out).toContain("\n60,1,9\n120,5,5\n");
    const { columns, rows } = JSON.parse((await run(`telemetry query ${query} -o json`)).out) as Record<
      string,
      unknown
    >;
    expect(columns).toMatchObject([{ aggregation: "min" }, { aggregation: "max" }]);
    expect(rows).toEqual([
      [60, 1, 9],
      [120, 5, 5],
    ]);
  }
});

test("query reports all mistakes of the words and the flags at once", async () => {
  const { code, err } = await run(
    "telemetry query meter:power@agregation=max,granularity=often meter: meter:energy@aggregation=delta,fill=locf meter:status@granularity=1M,timezone=Mars/X --from soon -a mean",
  );
  expect(code).toBe(2);
  expect(err.split("\n").filter((line) => line.startsWith("  "))).toEqual([
    expect.stringContaining("--from must be now, -24h"),
    expect.stringContaining("--aggregation must be one of auto, avg,"),
    '  meter:power: there is no setting "agregation"; did you mean aggregation?',
    '  meter:power: granularity must be a duration such as 5m, not "often"',
    expect.stringContaining('"meter:" names no telemetry'),
    "  meter:energy: delta cannot be filled, because nothing of it repeats; write fill=none",
    '  meter:status: timezone must be the IANA name of a time zone, such as Europe/Berlin, not "Mars/X"',
    "  meter:status: granularity 1M needs a timezone: weeks and months have no fixed length",
  ]);
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

test("query and export without attributes take all of a device, and where these are too many name them", async () => {
  const { out } = await run(`telemetry query meter ${RANGE} -o csv`);
  expect(out.split("\n")[0]?.match(/telemetry=\w+/g)).toHaveLength(8);
  expect((await run("telemetry export meter --from 0 --to 61")).err).toBe("exported 1 rows\n");
  const { code, err } = await run(`telemetry query meter meter:power,energy,note ${RANGE}`);
  expect([code, err.split("\n")[0]]).toEqual([2, "busbar: at most 10 attributes at once; choose some of"]);
  expect(err).toContain("  meter:power,energy,running,");
});

test("query shows means with as many digits as they have meaning, and programs all of them", async () => {
  const thirds = await kit.connect("thirds");
  await thirds.send("60 power=0; 61 power=0; 62 power=1");
  expect((await run(`telemetry query thirds:power ${RANGE}`)).out).toContain("  0.333333333\n");
  expect((await run(`telemetry query thirds:power ${RANGE} -o csv`)).out).toContain("60,0.3333333333333333\n");
});

test("query without a granularity takes what fits the range", async () => {
  const { out } = await run("telemetry query meter:power --from 0 --to 300 -o csv");
  expect(out).toContain("granularity=5s");
  expect((await run("telemetry query meter:power")).err).toContain("nothing is known in this range");
});

test.each([
  ["telemetry query meter:", "names no telemetry"],
  ["telemetry query meter:power --from 5 --to 1", "--from must be before --to"],
  ["telemetry query meter:power --from soon", "--from must be"],
  ["telemetry query meter:power -g often", "--granularity must be"],
  ["telemetry query meter:power --fill linear", "--fill must be"],
  ["telemetry query meter:power -a mean", "mean"],
  ["telemetry query meter:power@", "settings are aggregation, granularity, fill, timezone"],
  ["telemetry query meter:power@fill=none:1h", "fill must be"],
  ["telemetry query meter:power@granularity=1m,granularity=2m", "granularity is given twice"],
  ["telemetry query meter:power -g 1M", "needs a timezone"],
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
});

test("an import reports what was left out by the line of the file, and fails", async () => {
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

test("an import takes the device that the header names, and files that gzip has packed", async () => {
  await kit.create("named");
  await withFolder(async (folder) => {
    const file = join(folder, "named.csv.gz");
    writeFileSync(file, gzipSync("ts,telemetry=power device=named,telemetry=note device=named\n60,5,x\n"));
    expect(await run(["telemetry", "import", file])).toMatchObject({ code: 0, out: "imported 2 points in 1 rows\n" });
    expect((await run("now named:power")).out).toMatch(/named +power +5 /);
  });
});

test.each([
  ["ts,telemetry=power\n1,1\n", 2, "name the device with --device"],
  ["ts,telemetry=power device=a,telemetry=note device=b\n", 2, "of several devices"],
  ["", 2, "the file is empty"],
  [gzipSync("ts,telemetry=power\n").subarray(0, 15), 2, "cannot be unpacked"],
  [undefined, 1, "no such file"],
])("an import of %j fails with %d: %s", async (content, code, message) => {
  await withFolder(async (folder) => {
    const file = join(folder, "points.csv");
    if (content !== undefined) writeFileSync(file, content);
    const failed = await run(["telemetry", "import", file]);
    expect([failed.code, failed.err.includes(message)], failed.err).toEqual([code, true]);
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
