// kill -9 while a script runs commands: what it had begun ends as interrupted, and no device gets anything twice.
import { expect, test } from "vitest";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { INTERRUPTED } from "#service/command/end-interrupted.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { send } from "./send.ts";
import { startVictim, type Victim } from "./victim.ts";

const ROUNDS = roundsOf("kills of commands of scripts");
/** No command may time out because the machine is busy. */
const TIMEOUT_S = 600;
const AT_ONCE = 4;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Chaos
runtime: { type: lua, options: { file: main.lua } }
command_groups:
  main: { display_name: Main }
commands:
  start:
    group: main
    display_name: Start
    arguments:
      power: { type: integer, display_name: Which register to write }
`;

/** The effect lies between two pauses, so that a kill finds commands before it, at it and after it. */
const script = (port: number) => `
local client = modbus.new("tcp://127.0.0.1:${port}")
enapter.register_command_handler("start", function(ctx, args)
  ctx.log("begun")
  system.delay(5)
  local err = client:write_holding(1, args.power, 1, 30000)
  if err then ctx.error(err) end
  system.delay(5)
  return { power = args.power }
end)
`;

test("kills at random moments: each command has its effect once or never, and ends", async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const peer = await startModbusServer();
  /** How often each command has reached the device, by its number. */
  const effects = new Map<number, number>();
  for (let n = 0; n < 10_000; n++) peer.unit(1).holdings.set(n, 0);
  peer.unit(1).onWrite = (_table, register) => {
    effects.set(register, (effects.get(register) ?? 0) + 1);
    return undefined;
  };
  const data = tempFolder();
  const flags = ["--mqtt-port", "off", "--lua-allow", `127.0.0.1:${peer.port}`];
  const start = async () => {
    const victim = await startVictim(data, undefined, [...flags, "--commands-response-timeout", `${TIMEOUT_S}s`]);
    return victim ?? fail("without a failpoint nothing kills the program");
  };

  let victim = await start();
  const deviceId = await setUp(victim, peer.port);
  const load = createLoad(deviceId);
  for (let round = 0; round < ROUNDS; round++) {
    const reached = effects.size + 3 + random() * 20;
    const watch = setInterval(() => {
      if (effects.size >= reached) victim.kill();
    }, random() * 10);
    await load.run(victim);
    clearInterval(watch);
    expect(await victim.end).toBe("SIGKILL");
    victim = await start();
  }
  await load.settle(victim);
  const executions = await ended(victim, deviceId);
  victim.kill();
  await victim.end;

  expect(executions.size, "one execution for each that was asked for").toBe(load.asked());
  expect(
    [...effects].filter(([, count]) => count > 1),
    "sent twice",
  ).toEqual([]);
  const byState = (state: string) => [...executions.values()].filter((one) => one.state === state);
  const [done, failed] = [byState("SUCCESS"), byState("ERROR")];
  expect(done.length + failed.length, "every execution ends, as success or error").toBe(executions.size);
  const invented = done.filter(({ request }) => effects.get(Number(request.arguments["power"])) !== 1);
  expect(invented, "successes without their effect").toEqual([]);
  expect(new Set(failed.map(({ response }) => response?.payload?.message))).toEqual(new Set([INTERRUPTED]));
  expect(failed.length, "each kill interrupts something").toBeGreaterThanOrEqual(ROUNDS);
  console.log(
    `seed ${seed}: ${ROUNDS} kills, ${executions.size} executions, ${effects.size} effects, ${failed.length} interrupted`,
  );
});

/** Commands without end, some at once, each asked for again with its key until the answer is whole. */
function createLoad(deviceId: string) {
  let asked = 0;
  const unanswered: number[] = [];
  const execute = async (victim: Victim, n: number) => {
    try {
      const path = `/v3/devices/${deviceId}/commands/execute`;
      const headers = { "Idempotency-Key": `key-${n}` };
      const { status } = await send(victim, {
        method: "POST",
        path,
        body: { name: "start", arguments: { power: n } },
        headers,
      });
      if (status !== 200) unanswered.push(n);
    } catch {
      // The connection broke in the middle; whether it was taken is asked again with the same key.
      unanswered.push(n);
    }
  };
  const each = async (victim: Victim, next: () => number | undefined) => {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let n = next(); n !== undefined; n = next()) await execute(victim, n);
      }),
    );
  };
  return {
    asked: () => asked,
    /** Until the victim is dead. */
    async run(victim: Victim): Promise<void> {
      let isDead = false;
      void victim.end.then(() => {
        isDead = true;
      });
      await each(victim, () => (isDead ? undefined : (unanswered.shift() ?? ++asked)));
    },
    /** All that was never answered. */
    async settle(victim: Victim): Promise<void> {
      while (unanswered.length > 0) await each(victim, () => unanswered.shift());
    },
  };
}

interface Ended {
  readonly id: string;
  readonly state: string;
  readonly request: { readonly arguments: Readonly<Record<string, unknown>> };
  readonly response?: { readonly payload?: { readonly message?: string } };
}

async function ended(victim: Victim, deviceId: string): Promise<ReadonlyMap<string, Ended>> {
  const base = `/v3/devices/${deviceId}/commands/executions`;
  const open = async () =>
    (await send(victim, { method: "GET", path: `${base}?state.in=NEW,IN_PROGRESS&limit=0` })).body.total_count;
  await expect.poll(open).toBe(0);
  const all = new Map<string, Ended>();
  for (let offset = 0; ; offset += 1_000) {
    const { body } = await send(victim, { method: "GET", path: `${base}?limit=1000&offset=${offset}` });
    for (const execution of (body.executions ?? []) as readonly Ended[]) all.set(execution.id, execution);
    if (offset + 1_000 >= (body.total_count ?? 0)) return all;
  }
}

async function setUp(victim: Victim, port: number): Promise<string> {
  const files = { "manifest.yml": MANIFEST, "main.lua": script(port) };
  const zip = packPackage(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
  const uploaded = await fetch(`${victim.url}/v3/blueprints/upload`, {
    method: "POST",
    headers: { "X-Service-Auth-Token": victim.token },
    body: Buffer.from(zip),
  });
  const { blueprint } = (await uploaded.json()) as { readonly blueprint?: { readonly id: string } };
  const body = { name: "Counter", blueprint_id: blueprint?.id };
  const made = await send(victim, { method: "POST", path: "/v3/provisioning/lua_device", body });
  return made.body.device_id ?? fail("the device was not made");
}

function fail(text: string): never {
  throw new Error(text);
}
