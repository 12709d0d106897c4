import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { startModbusServer } from "../../../test/support/modbus-server.ts";
import { runBusbar } from "../../../test/support/run-busbar.ts";
import { playSunSpec } from "../../../test/support/sunspec-server.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";

async function site() {
  const server = await startModbusServer();
  const bank = server.unit(1);
  for (const [at, value] of [0x4248, 0, 100, 0xfffe, 0x4142, 0x4300].entries()) bank.holdings.set(10 + at, value);
  bank.inputs.set(7, 42);
  bank.coils.set(0, 1).set(1, 0);
  const address = `127.0.0.1:${server.port}`;
  const run = (words: string, cwd = "/nonexistent") =>
    runBusbar(["modbus", ...words.replace("ADDRESS", address).split(" ")], { cwd });
  return { server, bank, address, run };
}

test.each([
  ["10 --type float32", [[10, 50, "4248 0000"]]],
  ["11 --type uint32 --word-order little", [[11, 6_553_600, "0000 0064"]]],
  [
    "12-13",
    [
      [12, 100, "0064"],
      [13, 65_534, "fffe"],
    ],
  ],
  [
    "12 --count 2 --type int16 --scale 0.1",
    [
      [12, 10, "0064"],
      [13, -0.2, "fffe"],
    ],
  ],
  ["0xe --type string --count 2", [[14, "ABC", "4142 4300"]]],
  ["14 --type string --count 2 --byte-order little", [[14, "BA\u0000C", "4142 4300"]]],
  ["7 --kind input", [[7, 42, "002a"]]],
  [
    "0-1 --kind coil",
    [
      [0, true, "0001"],
      [1, false, "0000"],
    ],
  ],
] as const)("modbus read ADDRESS %s", async (words, rows) => {
  const { run } = await site();
  const { code, out, err } = await run(`read ADDRESS ${words} -o json`);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toEqual({ values: rows.map(([register, value, raw]) => ({ register, value, raw })) });
});

test("values are printed as a table and as CSV", async () => {
  const { run } = await site();
  expect((await run("read ADDRESS 12")).out).toBe("REGISTER  VALUE  RAW\n12        100    0064\n");
  expect((await run("read ADDRESS 12 -o csv")).out).toBe("register,value,raw\r\n12,100,0064\r\n".replaceAll("\r", ""));
});

test("--map prints what a map names; what cannot be read is empty, and reported", async () => {
  const { run } = await site();
  const folder = tempFolder();
  const map = `connection: tcp://\${net.host}
max_gap: 0
telemetry: {power: {address: 12, scale: 0.1}, energy: {address: 900}, is_on: {address: 0, kind: coil}}
properties: {serial: {address: 14, type: string, count: 2}}
alerts: {hot: {address: 13, bit: 1}, cold: {address: 13, bit: 0}, lost: {address: 901, bit: 0}}
`;
  writeFileSync(join(folder, "modbus.yml"), map);
  const { code, out, err } = await run("read ADDRESS --map modbus.yml -o jsonl", folder);
  expect({ code, err }).toEqual({
    code: 0,
    err: [900, 901]
      .map((register) => `holding register ${register} of unit 1: exception 2: illegal data address\n`)
      .join(""),
  });
  const lines = out
    .trim()
    .split("\n")
    .map((line) => Object.values(JSON.parse(line) as object));
  expect(lines).toEqual([
    ["telemetry", "power", 10],
    ["telemetry", "energy", null],
    ["telemetry", "is_on", true],
    ["properties", "serial", "ABC"],
    ["alerts", "hot", true],
    ["alerts", "cold", false],
    ["alerts", "lost", null],
  ]);
  expect((await run("read --map modbus.yml", folder)).err).toContain("give the address before --map");
  writeFileSync(join(folder, "modbus.yml"), "telemetry:\n  a: {adress: 1}\n  b: {address: -1}\n");
  expect(await run("read ADDRESS --map modbus.yml", folder)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/modbus\.yml:2:7: .*Did you mean address\?\nmodbus\.yml:3:16: address must be/),
  });
});

test("what goes wrong is explained in words, with an exit code for each kind", async () => {
  const { run, server } = await site();
  expect(await run("read ADDRESS 900")).toMatchObject({
    code: 6,
    err: expect.stringMatching(
      /^busbar: 127\.0\.0\.1:\d+, holding register 900 of unit 1: exception 2: illegal data address\n/,
    ),
  });
  server.faults.push("silent");
  expect(await run("read ADDRESS 12 --timeout 50ms")).toMatchObject({
    code: 7,
    err: expect.stringContaining("no answer from"),
  });
  const closed = await freePort();
  expect(await run(`read 127.0.0.1:${closed} 12`)).toMatchObject({
    code: 5,
    err: expect.stringContaining(`busbar: 127.0.0.1:${closed}: the connection was refused\n`),
  });
  for (const [words, problem] of [
    ["read ADDRESS", "which registers?"],
    ["read", "which device?"],
    ["read ADDRESS 70000", "no number or range"],
    ["read ADDRESS 9-3", "no number or range"],
    ["read ADDRESS 1 --type string", "a string needs --count"],
    ["read ADDRESS 1 --scale 0", "--scale must be"],
    ["read ADDRESS 1 --unit 300", "--unit must be"],
    ["read /dev/null?speed=1 1", "parameter speed is unknown"],
    ["read port://rs485 1", "ports have names only on a gateway"],
    ["scan ADDRESS --kind holdings", "--kind takes"],
    ["scan ADDRESS --for 5", "must be a duration"],
  ] as const)
    expect(await run(words), words).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
});

test("scan finds units, readable ranges and SunSpec models", async () => {
  const { run, server } = await site();
  playSunSpec(server.unit(3), 40_000, [
    { id: 1, values: { Mn: "A" } },
    { id: 103, values: { W: 1, W_SF: 0 } },
  ]);
  const { code, out } = await run("scan ADDRESS --units 1-4 --registers 0-63 -o json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    complete: true,
    units: [
      {
        unit: 1,
        ranges: [
          { kind: "holding", address: 10, count: 6 },
          { kind: "input", address: 7, count: 1 },
          { kind: "coil", address: 0, count: 2 },
        ],
      },
      { unit: 3, ranges: [], sunspec: { base: 40_000, models: [{ id: 1 }, { id: 103, address: 40_072, length: 50 }] } },
    ],
  });
  const table = await run("scan ADDRESS --units 1-4 --registers 0-63");
  expect(table.out).toContain("UNIT  KIND     FIRST  LAST  COUNT\n1     holding  10     15    6\n");
  expect(table.out).toContain("3     103            three-phase inverter  40072  50");
});

test("scan ends when its time is over, and says where; it says that nothing answers", async () => {
  const { run, server } = await site();
  server.units.clear();
  expect(await run("scan ADDRESS --units 5")).toMatchObject({
    code: 0,
    err: expect.stringContaining("no unit answered"),
  });
  expect(await run("scan ADDRESS --units 1-200 --for 1ms")).toMatchObject({
    code: 0,
    err: expect.stringMatching(/the time is over at unit \d+/),
  });
  const closed = await freePort();
  expect(await run(`scan 127.0.0.1:${closed}`)).toMatchObject({ code: 5, err: expect.stringContaining("refused") });
});

test("the defaults that help shows are accepted", async () => {
  const { run } = await site();
  const help = (await run("scan --help")).out.replaceAll(/\s+/g, " ");
  expect(help).toContain("(default: 300ms)");
  expect(help).toContain("(default: 1m)");
  expect((await run("read --help")).out).toContain("(default: 1s)");
  expect((await run("read ADDRESS 12 --timeout 1s -o csv")).code).toBe(0);
});
