// kill -9 while events flow: a listener that resumes with its last id hears of every change once, and in order.
import { expect, onTestFinished, test, vi } from "vitest";
import type { LiveEvent } from "#client/live-event.ts";
import type { CommandResponse, Execution } from "#client/resources.ts";
import { freePort } from "../support/free-port.ts";
import { PATIENT } from "../support/patient.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { makeCommandDevice } from "./command-device.ts";
import { CommandLoad } from "./command-load.ts";
import { startCountingDevice } from "./counting-device.ts";
import { EventListener } from "./event-listener.ts";
import { send } from "./send.ts";
import { startVictim, type Victim } from "./victim.ts";

const ROUNDS = roundsOf("kills of events");
const POINTS = ["commit.before:20", "commit.inside:20", "commit.after:20"];

test("kills at random moments and at every step of a commit, under load", async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const [data, port] = [tempFolder(), await freePort()];
  const start = (failpoint?: string) =>
    startVictim(data, failpoint, ["--mqtt-port", `${port}`, "--commands-response-timeout", "2s"]);
  const startForSure = async () => (await start()) ?? fail("without a failpoint nothing kills the program");

  let victim = await startForSure();
  const { deviceId, config } = await makeCommandDevice(victim);
  const device = await startCountingDevice(config);
  onTestFinished(() => device.close());
  const listener = new EventListener("kind.in=execution,device");
  await listener.follow(victim);
  let renamed = 0;
  const rename = async (name: string): Promise<void> => {
    const { status } = await send(victim, { method: "PATCH", path: `/v3/devices/${deviceId}`, body: { name } });
    if (status === 200) renamed++;
  };
  await rename("first");
  await vi.waitUntil(() => listener.hasId, PATIENT);

  const load = new CommandLoad(deviceId);
  for (let round = 0; round < ROUNDS; round++) {
    const answers = random() * 100;
    await load.run(victim, (count) => {
      if (count >= answers) victim.kill();
    });
    expect(await victim.end).toBe("SIGKILL");
    victim = await startForSure();
    await listener.follow(victim);
    await rename(`round ${round}`);
  }
  victim.kill();
  await victim.end;
  for (const point of POINTS) {
    const doomed = await start(point);
    if (doomed === undefined) continue;
    await listener.follow(doomed).catch(() => {});
    await load.run(doomed);
    expect(await doomed.end).toBe("SIGKILL");
  }
  victim = await startForSure();
  await listener.follow(victim);
  await load.settle(victim);
  await nothingOpen(victim, deviceId);
  await rename("last");
  const updates = () => listener.events.filter(({ kind }) => kind === "device").length;
  await vi.waitUntil(() => updates() >= renamed, PATIENT);

  expect(updates(), "changes of the device").toBe(renamed);
  expect(listener.events.filter(({ kind }) => kind === "gap")).toEqual([]);
  const seen = byExecution(listener.events);
  expect(seen.size, "executions").toBe(load.asked);
  for (const id of load.acknowledged.values()) {
    const { execution } = await read(victim, `/v3/devices/${deviceId}/commands/executions/${id}?expand=log`);
    expectEvents(seen.get(id) ?? [], execution);
  }
  console.log(
    `seed ${seed}: ${ROUNDS + POINTS.length} kills, ${seen.size} executions, ${listener.events.length} events`,
  );
});

function byExecution(events: readonly LiveEvent[]): ReadonlyMap<string, readonly Execution[]> {
  const seen = new Map<string, Execution[]>();
  for (const event of events) {
    if (event.kind !== "execution") continue;
    const before = seen.get(event.execution.id) ?? [];
    seen.set(event.execution.id, [...before, event.execution]);
  }
  return seen;
}

/** It heard that the execution was created, of each response, and at most once that nobody waits any longer. */
function expectEvents(seen: readonly Execution[], { id, state, log = [] }: Execution): void {
  const isTimeout = (one: Execution) => one.state === "TIMEOUT";
  const [created, ...answered] = seen.filter((one) => !isTimeout(one));
  const responses = answered.map(({ response }) => stepOf(response ?? fail("a state without a response")));
  expect([created?.state, seen.at(-1)?.state], id).toEqual(["NEW", state]);
  expect(responses, id).toEqual(log.toSorted((a, b) => (a.received_at < b.received_at ? -1 : 1)).map(stepOf));
  expect(seen.filter(isTimeout).length, id).toBeLessThanOrEqual(1);
}

function stepOf({ state, received_at: at, payload }: CommandResponse): string {
  return `${state} ${at} ${JSON.stringify(payload)}`;
}

async function nothingOpen(victim: Victim, deviceId: string): Promise<void> {
  const path = `/v3/devices/${deviceId}/commands/executions?state.in=NEW,IN_PROGRESS&limit=0`;
  await expect.poll(async () => (await send(victim, { method: "GET", path })).body.total_count).toBe(0);
}

async function read(victim: Victim, path: string): Promise<{ readonly execution: Execution }> {
  const { body } = await send(victim, { method: "GET", path });
  return body as unknown as { readonly execution: Execution };
}

function fail(text: string): never {
  throw new Error(text);
}
