import { afterEach, expect, test } from "vitest";
import { collectingPool } from "../../../test/support/lua-pool.ts";

let open: ReturnType<typeof collectingPool> | undefined;
afterEach(() => open?.pool.close());

function newPool(settings?: Parameters<typeof collectingPool>[0]) {
  open = collectingPool(settings);
  return open;
}

test("a script's telemetry, properties, logs and answers reach the pool's owner", async () => {
  const { pool, start, until } = newPool();
  await start(
    "a",
    `enapter.send_telemetry({ power = 5.5, name = 'ü' })
     enapter.send_properties({ model = 'X' })
     enapter.log('hello', 'warning')
     enapter.register_command_handler('add', function(ctx, args) return { sum = args.a + args.b } end)`,
  );
  expect(await until(/telemetry/)).toMatch(/^a telemetry .*"power":5.5/);
  expect(await until(/properties/)).toBe('a properties {"model":"X"}');
  expect(await until(/warning/)).toBe("a warning: hello");
  expect(pool.status("a")).toMatchObject({ state: "RUNNING", startCount: 1 });
  expect(pool.command("a", { id: "c1", name: "add", arguments: { a: 1, b: 2 } })).toBe(true);
  expect(await until(/c1/)).toBe('a c1 SUCCEEDED {"sum":3}');
});

test("what a script stores is there after a restart", async () => {
  const { pool, start, until } = newPool();
  await start(
    "a",
    "local n = tonumber(storage.read('n') or 0) + 1; storage.write('n', tostring(n)); enapter.log('start ' .. n)",
  );
  await until(/start 1/);
  expect(await pool.restart("a")).toBe(true);
  await until(/start 2/);
  expect(pool.status("a")?.startCount).toBe(2);
});

test("configuration and its changes reach the script", async () => {
  const { pool, start, until, bucket } = newPool();
  await start(
    "a",
    `local function show() enapter.log('host ' .. configuration.read('net').host) end
     configuration.after_write('net', show) show()`,
    { configuration: new Map([["net", bucket({ host: "one" })]]) },
  );
  await until(/host one/);
  pool.configurationWritten("a", "net", bucket({ host: "two" }));
  await until(/host two/);
});

test("an error in the entry chunk leaves the device FAILED until its next start, with file and line", async () => {
  const { pool, start, until } = newPool();
  await start("a", "\nlocal x = nil + 1");
  await until(/is FAILED/);
  expect(pool.status("a")).toMatchObject({
    state: "FAILED",
    lastError: { file: "main.lua", line: 2 },
    restartAt: expect.any(Number),
  });
  expect(pool.command("a", { id: "c", name: "x", arguments: {} })).toBe(false);
});

test("a new program replaces the running one", async () => {
  const { start, told, until } = newPool();
  await start("a", "scheduler.add(10, function() enapter.log('old') end)");
  await until(/old/);
  await start("a", "scheduler.add(10, function() enapter.log('new') end)");
  await until(/new/);
  const from = told.length;
  await until(/new/, from);
  expect(told.slice(from).filter((line) => line.includes("old"))).toEqual([]);
});

test("a stopped device says no more, and its open command ends as interrupted", async () => {
  const { pool, start, until } = newPool();
  await start("a", "enapter.register_command_handler('wait', function(ctx) ctx.log('on') system.delay(5000) end)");
  await until(/is RUNNING/);
  pool.command("a", { id: "c1", name: "wait", arguments: {} });
  await until(/c1 IN_PROGRESS/);
  pool.stop("a");
  expect(await until(/c1 ERROR/)).toContain("interrupted by restart, outcome unknown");
  expect(pool.status("a")).toBeUndefined();
});

test("a script that computes for ever is quarantined, a neighbour goes on", async () => {
  const { pool, start, until, told } = newPool({ threads: 1, limits: { activityMs: 200 } });
  await start("bad", "while true do pcall(function() while true do end end) end");
  await start("good", "scheduler.add(10, function() enapter.send_telemetry({ n = 1 }) end)");
  await until(/bad is QUARANTINED/);
  expect(pool.status("bad")).toMatchObject({
    state: "QUARANTINED",
    lastError: { file: "main.lua", line: 1, message: "computed for more than 200 ms without a pause" },
  });
  await until(/good telemetry/, told.length);
  expect(pool.status("good")?.startCount).toBe(1);
});

test("a flood of log lines is thinned and told", async () => {
  const { start, until, told } = newPool();
  await start(
    "a",
    "for i = 1, 5000 do enapter.log('line') end scheduler.add(200, function() enapter.log('later') end)",
  );
  await until(/lines of the log were left out/);
  expect(told.filter((line) => line.endsWith("info: line")).length).toBeLessThan(300);
});
