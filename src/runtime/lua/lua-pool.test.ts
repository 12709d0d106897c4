import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createLiveRules } from "#drivers/live-rules.ts";
import { collectingPool } from "../../../test/support/lua-pool.ts";
import { PATIENT } from "../../../test/support/patient.ts";
import type { LuaPool } from "./lua-pool.ts";

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
  pool.configurationWritten("a", { bucket: "net", values: bucket({ host: "two" }), child: undefined, isNews: true });
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
  const { start, output, until } = newPool();
  await start("a", "scheduler.add(10, function() enapter.log('old') end)");
  await until(/old/);
  await start("a", "scheduler.add(10, function() enapter.log('new') end)");
  await until(/new/);
  const from = output.length;
  await until(/new/, from);
  expect(output.slice(from).filter((line) => line.includes("old"))).toEqual([]);
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

const WAIT = `enapter.register_command_handler('wait', function(ctx)
  enapter.log('waits') ctx.log('on') system.delay(5000)
end)`;

test.each<[string, (pool: LuaPool) => unknown]>([
  ["stopped", (pool) => pool.stop("a")],
  ["restarted", (pool) => pool.restart("a")],
])("of a script that is %s, what waits behind a command is not executed, and ends as that", async (_, act) => {
  const { pool, start, until, output } = newPool();
  await start("a", WAIT);
  await until(/is RUNNING/);
  for (const id of ["c1", "c2", "c3"]) pool.command("a", { id, name: "wait", arguments: {} });
  await until(/c1 IN_PROGRESS/);
  act(pool);
  expect(await until(/c1 ERROR/)).toContain("outcome unknown");
  const notExecuted = `{"message":"not executed: the device's script ended before the command began"}`;
  expect([await until(/c2 ERROR/), await until(/c3 ERROR/)]).toEqual([
    `a c2 ERROR ${notExecuted}`,
    `a c3 ERROR ${notExecuted}`,
  ]);
  // Whatever the thread was about to do has been done when a script that starts later runs.
  await start("b", "enapter.log('here')");
  await until(/b info: here/);
  expect(output.filter((line) => line.endsWith("waits"))).toHaveLength(1);
});

test("a script that ends by itself leaves what waited as not executed", async () => {
  const { pool, start, until } = newPool();
  await start("a", "system.delay(200) error('over')");
  await until(/is RUNNING/);
  pool.command("a", { id: "c1", name: "x", arguments: {} });
  expect(await until(/c1 ERROR/)).toContain("not executed");
});

test("when the pool closes, what has not begun ends as not executed, and what has begun stays open", async () => {
  const { pool, start, until, output } = newPool();
  await start("a", WAIT);
  await until(/is RUNNING/);
  for (const id of ["c1", "c2"]) pool.command("a", { id, name: "wait", arguments: {} });
  await until(/c1 IN_PROGRESS/);
  await pool.close();
  expect(output.filter((line) => line.includes("ERROR"))).toEqual([
    expect.stringMatching(/^a c2 ERROR .*not executed/),
  ]);
});

test("a device whose context cannot be read is FAILED with the reason, and is tried again later each time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { pool } = newPool();
  const program = { entry: "main.lua", modules: new Map([["main.lua", ""]]), nodebug: false };
  await pool.start("a", program, () => Promise.reject(new Error("no configuration")));
  const lastError = { message: "no configuration" };
  for (const [startCount, delayMs] of [5_000, 10_000, 20_000].entries()) {
    const restartAt = Date.now() + delayMs;
    expect(pool.status("a")).toMatchObject({ state: "FAILED", startCount: startCount + 1, lastError, restartAt });
    await vi.advanceTimersByTimeAsync(delayMs);
  }
});

test("a thread that does not begin is given up, and its devices come back later", async () => {
  const { pool, start, until } = newPool({ watchdogMs: 20, readyMs: 10 });
  await start("a", "");
  expect(await until(/a is FAILED/)).toBe("a is FAILED the thread had not begun after 10 ms");
  expect(pool.status("a")?.restartAt).toBeGreaterThan(Date.now());
});

test("a script that computes for ever is quarantined, a neighbour goes on", async () => {
  const { pool, start, until, output } = newPool({ threads: 1, limits: { activityMs: 200 } });
  await start("bad", "while true do pcall(function() while true do end end) end");
  await start("good", "scheduler.add(10, function() enapter.send_telemetry({ n = 1 }) end)");
  await until(/bad is QUARANTINED/);
  expect(pool.status("bad")).toMatchObject({
    state: "QUARANTINED",
    lastError: { file: "main.lua", line: 1, message: "computed for more than 200 ms without a pause" },
  });
  await until(/good telemetry/, output.length);
  expect(pool.status("good")?.startCount).toBe(1);
});

test("a flood of log lines is thinned, and the log says so", async () => {
  const { start, until, output } = newPool();
  await start(
    "a",
    "for i = 1, 5000 do enapter.log('line') end scheduler.add(200, function() enapter.log('later') end)",
  );
  await until(/lines of the log were left out/);
  expect(output.filter((line) => line.endsWith("info: line")).length).toBeLessThan(300);
});

test("a thread that gives no sign of life is ended, and its open commands with it", async () => {
  // Shorter than the pulse of an idle thread, so that any thread looks dead.
  const { pool, start, until } = newPool({ watchdogMs: 150 });
  await start("a", "enapter.register_command_handler('wait', function(ctx) ctx.log('on') system.delay(5000) end)");
  await until(/a is RUNNING/);
  pool.command("a", { id: "c1", name: "wait", arguments: {} });
  // On a busy machine the thread looks dead before the command has begun.
  expect(await until(/c1 ERROR/)).toMatch(/outcome unknown|not executed/);
  expect(await until(/a is FAILED/)).toBe("a is FAILED no sign of life for 150 ms");
});

test("a message is bounded in size, and a large one counts as several", async () => {
  const { start, until, output } = newPool();
  await start(
    "a",
    `enapter.log('huge: ' .. enapter.send_telemetry({ text = string.rep('x', 300000) }))
     local many, refused = string.rep('x', 200000), nil
     for i = 1, 100 do refused = refused or enapter.send_telemetry({ text = many }) end
     enapter.log('often: ' .. refused)`,
  );
  expect(await until(/huge/)).toBe("a info: huge: a message has at most 262144 bytes");
  expect(await until(/often/)).toBe("a info: often: more than 50 messages a second");
  expect(output.filter((line) => line.startsWith("a telemetry")).length).toBeLessThan(20);
});

test("what is too large in a command's answers is left out, and its outcome stands", async () => {
  const { pool, start, until } = newPool();
  await start(
    "a",
    `enapter.register_command_handler('go', function(ctx)
       ctx.log(string.rep('x', 1000000))
       return { text = string.rep('x', 1000000) }
     end)`,
  );
  await until(/is RUNNING/);
  pool.command("a", { id: "c1", name: "go", arguments: {} });
  expect((await until(/c1 IN_PROGRESS/)).length).toBeLessThan(5_000);
  expect(await until(/c1 SUCCEEDED/)).toBe('a c1 SUCCEEDED {"message":"left out: a payload has at most 262144 bytes"}');
});

test("a thread that dies while no script runs takes its devices out for a while, so that it does not die on and on", async () => {
  const { pool, start, until, output } = newPool({ threads: 1 });
  await start("good", "enapter.log('here')");
  await until(/here/);
  await start("bad", "", { configuration: JSON.parse("5") });
  await until(/bad is FAILED/);
  await until(/good is FAILED/);
  expect(pool.status("good")?.restartAt).toBeGreaterThan(Date.now());
  expect(output.filter((line) => line.endsWith("is STARTING"))).toHaveLength(2);
});

test("a script that stores without end is slowed down", async () => {
  const { start, until } = newPool();
  await start(
    "a",
    `local began = system.uptime()
     for i = 1, 115 do storage.write('n', tostring(i)) end
     enapter.log(system.uptime() - began > 0.5 and 'slow' or 'fast')`,
  );
  expect(await until(/slow|fast/)).toBe("a info: slow");
});

test("a device for which there is no thread is FAILED and tried again", async () => {
  const drivers = {
    get hub(): never {
      throw new Error("no more threads");
    },
    allow: createLiveRules([]),
    onBug: () => {},
  };
  const { pool, start } = newPool({ drivers });
  await start("a", "");
  expect(pool.status("a")).toMatchObject({ state: "FAILED", lastError: { message: "no more threads" } });
  expect(pool.status("a")?.restartAt).toBeGreaterThan(Date.now());
});

const holds = (megabytes: number) => `
  kept = {}
  for n = 1, ${megabytes} do kept[n] = string.rep(tostring(n % 10), 1024 * 1024) end
  enapter.log("holds ${megabytes}")`;

test("all scripts together hold no more than they may, over all threads, and what has ended makes room", async () => {
  const { pool, start, until, output } = newPool({ threads: 2, memoryBytes: 36 * 1024 * 1024 });
  await start("a", holds(12));
  await until(/^a info: holds 12/);
  await start("b", holds(14));
  const refused = await until(/^b is (FAILED|QUARANTINED)/);
  expect(refused).toContain("not enough memory: all scripts together may hold 36 MiB (the setting lua.memory_mb)");
  expect(pool.memory.used()).toBeGreaterThan(12 * 1024 * 1024);
  pool.stop("a");
  const from = output.length;
  await vi.waitUntil(() => pool.memory.used() < 1024 * 1024, PATIENT);
  await pool.restart("b");
  await until(/^b info: holds 14/, from);
  pool.stop("b");
  await vi.waitUntil(() => pool.memory.used() === 0, PATIENT);
});

test.each([
  [
    "a job",
    "scheduler.add(10, function()\n while not done do system.delay(5) end\n end)",
    "a job",
    { activity: "job", line: 2 },
  ],
  [
    "a command",
    "enapter.register_command_handler('wait', function()\n while not done do system.delay(5) end\n end)",
    "the handler of the command wait",
    { activity: "command", command: "wait", line: 2 },
  ],
  [
    "the first run",
    "\n\nwhile not done do system.delay(5) end",
    "the first run of the script",
    { activity: "main", line: 3 },
  ],
])("%s that lasts too long is seen, with its place", async (_name, source, words, { activity, line, ...more }) => {
  const { pool, start, until, output } = newPool({ limits: { overrunMs: 200 } });
  await start("a", source);
  pool.command("a", { id: "c1", name: "wait", arguments: {} });
  await until(/^a is OVERRUNNING/);
  const { state, overrun, since } = pool.status("a") ?? {};
  expect([state, overrun]).toMatchObject(["OVERRUNNING", { kind: activity, file: "main.lua", line, ...more }]);
  expect(since).toBeLessThan(Date.now());
  expect(await until(/has run/)).toBe(
    `a warning: ${words} has run for more than 0.2 s (now at main.lua:${line}); everything else of this device waits for it`,
  );
  expect([pool.overruns(), output.filter((text) => text.includes("has run"))]).toMatchObject([1, { length: 1 }]);
});

test("a script that has caught up is RUNNING again", async () => {
  const { pool, start, until, output } = newPool({ limits: { overrunMs: 200 } });
  await start(
    "slow",
    "enapter.register_command_handler('wait', function() for _ = 1, 80 do system.delay(5) end return {} end)",
  );
  await until(/slow is RUNNING/);
  pool.command("slow", { id: "c1", name: "wait", arguments: {} });
  await until(/slow is OVERRUNNING/);
  const from = output.length;
  await until(/slow c1 SUCCEEDED/);
  await until(/slow is RUNNING/, from);
  expect(pool.status("slow")).toMatchObject({ state: "RUNNING", overrun: undefined });
});

test.each([
  ["filling tables", "local t = {} while true do t[#t + 1] = {} end"],
  ["doubling a text", "local s = 'x' while true do s = s .. s end"],
  ["one text", "local s = string.rep('x', 1e9)"],
  ["nesting calls", "local function f() return 1 + f() end f()"],
  [
    "catching every error",
    "while true do pcall(function() local t = {} while true do t[#t + 1] = ('m'):rep(1e5) .. #t end end) end",
  ],
])("a memory bomb says memory: %s", async (_name, source) => {
  const { start, until } = newPool({ limits: { activityMs: 300 } });
  await start("a", source);
  const said = await until(/^a error:/);
  expect(said).toContain("not enough memory: a script may hold 16 MiB");
  expect(said).not.toMatch(/fd_write|\[\d\d-|\[busbar\]/);
});

test("a script whose memory is full when something arrives for it says memory, and nothing of the interpreter", async () => {
  const { pool, start, until } = newPool();
  await start(
    "a",
    `held = {}
     enapter.register_command_handler('echo', function(_, args) return args end)
     pcall(function() for size = 20, 3, -1 do pcall(function() while true do held[#held + 1] = ('m'):rep(1 << size) .. #held end end) end end)
     enapter.log('full')`,
  );
  await until(/full/);
  pool.command("a", { id: "c1", name: "echo", arguments: { text: "x".repeat(200_000) } });
  const said = await until(/^a (error|c1)/);
  expect(said).toContain("not enough memory");
  expect(said).not.toContain("fd_write");
});
