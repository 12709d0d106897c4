// A device with a connection is ONLINE until its keep-alive lapses, however quiet it is.
import { afterEach, expect, onTestFinished, test } from "vitest";
import { createConnectivity } from "#service/device/connectivity.ts";
import { logins, startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { createFakeInbox } from "../support/fake-inbox.ts";
import { connectPacket, connectRaw, PINGREQ } from "../support/raw-mqtt.ts";
import { IS_LONG } from "../support/rounds.ts";

const SILENCE_MS = 30_000;
let broker: TestBroker | undefined;
afterEach(() => broker?.stop());

/** The broker with the real rule of who is online; `elapsed` is the clock of that rule. */
async function start(elapsed: () => number) {
  const changes: string[] = [];
  const waiting = new Map<string, () => void>();
  const connectivity = createConnectivity({
    elapsed,
    silenceMs: SILENCE_MS,
    onChange: (_deviceId, status) => {
      changes.push(status);
      waiting.get(status)?.();
    },
  });
  const inbox = {
    ...createFakeInbox(logins(1)),
    alive: connectivity.alive,
    connected: connectivity.connected,
    unreachable: connectivity.gone,
  };
  broker = await startTestBroker({ devices: 1 }, { inbox });
  return {
    connectivity,
    changes,
    until: (status: string) =>
      changes.at(-1) === status ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(status, resolve)),
    connect: (keepalive: number) =>
      connectRaw(broker?.port ?? 0, connectPacket({ username: "HW1", password: "secret1", keepalive })),
  };
}

test("a quiet device with a keep-alive of 60 s is ONLINE after 5 minutes, and OFFLINE when it leaves", async () => {
  let now = 0;
  const { connectivity, changes, connect, until } = await start(() => now);
  const device = await connect(60);
  await until("ONLINE");
  for (let second = 0; second < 300; second++) {
    now += 1_000;
    connectivity.sweep();
  }
  expect([connectivity.status("d1"), changes]).toEqual(["ONLINE", ["ONLINE"]]);
  await device.end();
  await until("OFFLINE");
});

test("of two connections the last one counts", async () => {
  let now = 0;
  const { connectivity, changes, connect, until } = await start(() => now);
  const first = await connect(60);
  await first.seen("connack");
  const second = await connect(60);
  await second.seen("connack");
  await first.end();
  now += 10 * SILENCE_MS;
  connectivity.sweep();
  expect(changes).toEqual(["ONLINE"]);
  await second.end();
  await until("OFFLINE");
});

test("a device that shows no sign of life is OFFLINE when its keep-alive has lapsed, without any silence of 30 s", async () => {
  const { connect, until, changes } = await start(() => 0);
  await connect(1);
  await until("ONLINE");
  await until("OFFLINE");
  expect(changes).toEqual(["ONLINE", "OFFLINE"]);
});

if (IS_LONG)
  test("in real time: ONLINE for 5 quiet minutes with a keep-alive of 60 s, OFFLINE within 90 s of a pulled cable", async () => {
    const { connectivity, changes, connect, until } = await start(() => performance.now());
    const sweeps = setInterval(() => connectivity.sweep(), 1_000);
    onTestFinished(() => clearInterval(sweeps));
    const device = await connect(60);
    const pings = setInterval(() => device.send(PINGREQ), 55_000);
    await new Promise((resolve) => setTimeout(resolve, 300_000));
    expect(changes).toEqual(["ONLINE"]);
    clearInterval(pings);
    const pulledAt = performance.now();
    await until("OFFLINE");
    expect(performance.now() - pulledAt).toBeLessThan(92_000);
  });
