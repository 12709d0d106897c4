import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeBusbar, startFakeBusbar } from "../../../test/support/fake-busbar.ts";
import { type Ran, runBusbar, withFolder } from "../../../test/support/run-busbar.ts";

const argument = (type: string, more: object = {}) => ({ type, display_name: type, ...more });
const command = (more: object = {}) => ({ group: "main", display_name: "Do it", ...more });
const manifest = {
  blueprint_spec: "device/3.0",
  display_name: "Battery",
  runtime: { type: "embedded" },
  command_groups: { main: { display_name: "Main" } },
  commands: {
    ping: command({ aliases: ["hello"] }),
    set: command({
      arguments: {
        power: argument("float", { unit: "kW", min: 0, max: 10 }),
        count: argument("integer"),
        on: argument("boolean"),
        mode: argument("string", { enum: ["fast", "slow"], default: "slow" }),
        tags: argument("array_of_strings"),
        plan: argument("json"),
      },
      populate_values_command: "read",
    }),
    read: command(),
    login: command({
      arguments: {
        user: argument("string", { required: true, description: "Who you are." }),
        pin: argument("integer", { required: true, sensitive: true, min: 1000 }),
      },
    }),
    open: command({
      arguments: { reason: argument("string"), pin: argument("string", { sensitive: true }) },
      confirmation: { severity: "warning", title: "Open the contactors?", description: "Everything stops." },
    }),
  },
};

const device = { id: "d-1", name: "Battery 1", slug: "battery-1", site_id: "s1", type: "STANDALONE", manifest };

/** How the device answers each command. */
let ends: Record<string, object>;
let server: FakeBusbar;

beforeEach(async () => {
  ends = {};
  let name = "";
  const execution = (state: string, response?: object) => ({
    id: "e-1",
    device_id: "d-1",
    state,
    ephemeral: false,
    created_at: "2026-01-01T00:00:00.000Z",
    request: { name, arguments: {}, manifest_name: name },
    ...(response === undefined ? {} : { response }),
  });
  const success = { state: "SUCCEEDED", payload: { ok: true }, received_at: "2026-01-01T00:00:01.000000Z" };
  server = await startFakeBusbar({
    "GET /v3/devices/battery-1": () => ({ body: { device } }),
    "POST /v3/devices/d-1/commands/executions": ({ body }) => {
      ({ name } = JSON.parse(body.toString()));
      return { body: { execution_id: "e-1" } };
    },
    "GET /v3/devices/d-1/commands/executions/e-1": () => ({
      body: { execution: { ...execution("SUCCESS", success), ...ends[name] } },
    }),
  });
});
afterEach(() => server.stop());

type Sent = { readonly name: string; readonly arguments: unknown; readonly ephemeral?: boolean };

/** Runs a command on the fake device and gives what was sent to it. */
async function run(words: readonly string[], world: object = {}): Promise<Ran & { readonly sent: readonly Sent[] }> {
  const env = { BUSBAR_URL: server.url, BUSBAR_TOKEN: "t" };
  const ran = await runBusbar(["run", "battery-1", ...words], { env, ...world });
  const posts = server.requests.filter((request) => request.method === "POST");
  return { ...ran, sent: posts.map((request) => JSON.parse(request.body.toString())) };
}

test.each<[string, object]>([
  ["power=5.5", { power: 5.5 }],
  ["power=0 count=-3 on=off", { power: 0, count: -3, on: false }],
  ["mode=fast tags=a,b", { mode: "fast", tags: ["a", "b"] }],
  ['plan={"a":[1]} tags=["a,b"]', { plan: { a: [1] }, tags: ["a,b"] }],
  ["plan:=[1,null] power:=3", { plan: [1, null], power: 3 }],
  ['--args {"power":1,"count":2} power=3', { power: 3, count: 2 }],
  ["", {}],
])("%s is typed by the manifest", async (words, expected) => {
  const { code, err, sent } = await run(["set", ...words.split(" ").filter(Boolean)]);
  expect([code, sent[0]?.arguments], err).toEqual([0, expected]);
});

test("values may come from files and from standard input", async () => {
  await withFolder(async (cwd) => {
    writeFileSync(join(cwd, "plan.json"), '{"from":"file"}\n');
    writeFileSync(join(cwd, "args.json"), '{"count":7}');
    const words = ["set", "--args", "args.json", "plan=@plan.json", "tags=@-"];
    const { sent } = await run(words, { cwd, input: "x,y\n" });
    expect(sent[0]?.arguments).toEqual({ count: 7, plan: { from: "file" }, tags: ["x", "y"] });
  });
});

test.each<[string, readonly string[]]>([
  ["set powr=5", ['there is no "powr"; did you mean power?']],
  ["set power=much", ['power must be a number, not "much"']],
  ["set power=11 mode=quick", ["power must be at most 10, not 11", "mode must be one of fast, slow"]],
  ["set plan=text", ["plan must be JSON; a text needs quotes"]],
  ["set power=1 power=2", ["power is given twice"]],
  ["set fast", ['there is no "fast"']],
  ["set :5", ['":5" is not understood: write key=value']],
  ["set --args {1}", ["--args must be a JSON object"]],
  ["login user=me pin=12", ["pin must be at least 1000"]],
  ["login", ["user is required", "pin is required", "busbar command get battery-1 login"]],
  ["login pin user=x", ["pin is missing and nobody is there to ask: write pin=@FILE"]],
  ["ping --prefill", ["ping has no command that reads its present values"]],
])("%s is refused before anything is sent: %j", async (words, texts) => {
  const { code, err, sent } = await run(words.split(" "));
  for (const text of texts) expect(err).toContain(text);
  expect([code, sent]).toEqual([2, []]);
});

test("a command that is not there is not found, and the nearest is named", async () => {
  const { code, err, sent } = await run(["pong"]);
  expect([code, sent]).toEqual([4, []]);
  expect(err).toContain("did you mean ping?");
});

test("an alias is sent as it is", async () => {
  expect((await run(["hello"])).sent).toEqual([{ name: "hello", arguments: {} }]);
});

test("what is required and missing is asked for, again until it fits, and hidden if it is sensitive", async () => {
  const { code, err, sent } = await run(["login"], { answer: ["me", "12", "4711"] });
  expect(code).toBe(0);
  expect(sent[0]?.arguments).toEqual({ user: "me", pin: 4711 });
  expect(err).toContain("Who you are.\nstring (string): ");
  expect(err.match(/\(hidden\) integer \(integer, at least 1000, sensitive\): /g)).toHaveLength(2);
  expect(err).toContain("pin must be at least 1000\n");
  expect(err).not.toContain("4711");
});

test("no answer sends nothing", async () => {
  const { code, err, sent } = await run(["login"], { answer: ["me"] });
  expect([code, sent]).toEqual([2, []]);
  expect(err).toContain("pin is required; nothing was sent");
});

test("a sensitive value on the command line is warned of and never shown", async () => {
  for (const words of [
    ["login", "user=me", "pin=4711"],
    ["login", "--args", '{"user":"me","pin":4711}'],
  ]) {
    const { code, out, err } = await run(words);
    expect(code).toBe(0);
    expect(err).toContain("warning: pin is sensitive");
    expect(out + err).not.toContain("4711");
  }
  await withFolder(async (cwd) => {
    writeFileSync(join(cwd, "pin"), "4711\n");
    expect((await run(["login", "user=me", "pin=@pin"], { cwd })).err).not.toContain("warning");
  });
});

test.each<[string, string | undefined, readonly string[], number]>([
  ["yes", "y", [], 0],
  ["no", "n", [], 2],
  ["nobody there", undefined, [], 2],
  ["--yes", undefined, ["--yes"], 0],
])("a command that wants to be confirmed, with %s, ends with %s", async (_name, answer, flags, expected) => {
  const { code, err, sent } = await run(["open", "reason=fire drill", "pin=secret", ...flags], { answer });
  expect([code, sent.length]).toEqual([expected, expected === 0 ? 1 : 0]);
  const shown = [
    "WARNING  Open the contactors?",
    "  Everything stops.",
    '  Battery 1 (battery-1): open reason="fire drill" pin=***',
  ].join("\n");
  expect(err.includes(shown)).toBe(flags.length === 0);
  expect(err).not.toContain("secret");
  if (answer === undefined && expected === 2) expect(err).toContain("Nobody is there to ask: add --yes");
});

test("--prefill sends the present values where none is given, and shows them", async () => {
  ends["read"] = {
    response: {
      state: "SUCCEEDED",
      payload: { power: 2, mode: "fast", count: null, other: 1 },
      received_at: "2026-01-01T00:00:01.000000Z",
    },
  };
  const { code, err, sent } = await run(["set", "--prefill", "power=3"]);
  expect(code).toBe(0);
  expect(sent).toEqual([
    { name: "read", ephemeral: true },
    { name: "set", arguments: { mode: "fast", power: 3 } },
  ]);
  expect(err).toContain("from read: mode=fast\n");
});

test("when the present values cannot be read, nothing else is sent", async () => {
  ends["read"] = { state: "TIMEOUT" };
  const { code, err, sent } = await run(["set", "--prefill"]);
  expect([code, sent.length]).toEqual([7, 1]);
  expect(err).toContain("read, which reads the present values, failed; nothing else was sent");
});

const answered = (payload: object) => ({
  state: "ERROR",
  response: { state: "ERROR", payload, received_at: "2026-01-01T00:00:01.000000Z" },
});

test.each<[object, number, string]>([
  [answered({ message: "door open", code: 7 }), 6, "busbar: the device answered with an error: door open code=7"],
  [
    answered({ message: "interrupted by restart, outcome unknown" }),
    8,
    "busbar: nobody knows what the device did: interrupted by restart, outcome unknown\n  look at the device before",
  ],
  [{ state: "TIMEOUT" }, 7, "busbar: the device did not answer in time"],
  [{ state: "TIMEOUT", response: undefined }, 7, "busbar: the command was not handed to the device in time"],
])("an end like %j is exit code %d", async (end, expected, text) => {
  ends["ping"] = end;
  const { code, out, err } = await run(["ping"]);
  expect(code).toBe(expected);
  expect(err).toContain(text);
  expect(out).toMatch(/^execution +e-1$/m);
});

test("the answer is a table for people and the interface's for programs", async () => {
  expect((await run(["ping"])).out).toMatch(/^state +SUCCESS$[\s\S]+^ANSWER +VALUE$\n^ok +true$/m);
  expect(JSON.parse((await run(["ping", "-o", "json"])).out)).toMatchObject({
    execution: { id: "e-1", state: "SUCCESS", response: { payload: { ok: true } } },
  });
});

test("--no-wait prints the id alone, and --ephemeral is passed on", async () => {
  const { code, out, err, sent } = await run(["ping", "--no-wait", "--ephemeral"]);
  expect([code, out]).toEqual([0, "e-1\n"]);
  expect(err).toContain("busbar execution watch battery-1 e-1");
  expect(sent[0]?.ephemeral).toBe(true);
});

test("waiting ends when --timeout is over or the person interrupts, and the way back is shown", async () => {
  ends["ping"] = { state: "IN_PROGRESS" };
  const late = await run(["ping", "--timeout", "50ms"]);
  expect(late.code).toBe(7);
  expect(late.err).toContain("wait for it: busbar execution wait d-1 e-1");
  const stopped = await run(["ping"], { interrupt: new Promise<void>((resolve) => setImmediate(resolve)) });
  expect([stopped.code, stopped.out]).toEqual([130, ""]);
  expect(stopped.err).toContain("follow it with: busbar execution watch d-1 e-1");
});

test("each attempt carries a key, so that a broken connection cannot run a command twice", async () => {
  await server.stop();
  let attempts = 0;
  server = await startFakeBusbar({
    "GET /v3/devices/battery-1": () => ({ body: { device } }),
    "POST /v3/devices/d-1/commands/executions": () => (attempts++ === 0 ? "cut" : { body: { execution_id: "e-1" } }),
  });
  expect((await run(["ping", "--no-wait"])).code).toBe(0);
  const keys = server.requests.flatMap((request) => request.headers["idempotency-key"] ?? []);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
});

test("it is said beforehand that a device is offline", async () => {
  await server.stop();
  server = await startFakeBusbar({
    "GET /v3/devices/battery-1": () => ({ body: { device: { ...device, connectivity: { status: "OFFLINE" } } } }),
    "POST /v3/devices/d-1/commands/executions": () => ({ body: { execution_id: "e-1" } }),
  });
  expect((await run(["ping", "--no-wait"])).err).toContain("battery-1 is offline: the command waits for it");
});

test("a device without a blueprint has nothing to run", async () => {
  await server.stop();
  server = await startFakeBusbar({
    "GET /v3/devices/battery-1": () => ({ body: { device: { ...device, manifest: null } } }),
  });
  expect(await run(["ping"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("battery-1 has no blueprint"),
  });
});
