// The machine of the primary hangs: it keeps its connections open and answers nothing. Every call ends, with a clear 503, and a
// node goes over to the standby when that one is promoted.
import { expect, onTestFinished, test } from "vitest";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { startNode } from "../support/nodes.ts";
import { hasPostgresPair, startPostgresPair } from "../support/postgres-pair.ts";

const EXECUTIONS = "SELECT count(*)::int AS count FROM execution";

test.runIf(hasPostgresPair)(
  "a primary that falls silent is waited for by no call, and left for its standby",
  {
    timeout: 300_000,
  },
  async () => {
    const pair = await startPostgresPair();
    onTestFinished(() => pair.stop());
    const node = await startNode({ url: pair.url, flags: ["--commands-response-timeout", "3s"] });
    const site = await makeNodeSite(node.admin);
    const deviceId = await site.device("Pump");
    const device = await connectAt(await site.configOf(deviceId), node.mqttPort);
    const execute = (key: string) =>
      node.admin.post(
        `/v3/devices/${deviceId}/commands/execute`,
        { name: "start", arguments: { power: 1 } },
        { "Idempotency-Key": key },
      );
    /** What was refused may have been stored when the server went on. Then it was not sent to the device, and is not later. */
    const ENDED = ["SUCCESS", "TIMEOUT"];
    const isDone = (key: string) =>
      expect
        .poll(async () => ENDED.includes((await execute(key)).body.execution?.state), { timeout: 60_000 })
        .toBe(true);
    const ready = async () => (await node.admin.get("/readyz")).status;
    await isDone("before");

    // It hangs for a while, and goes on.
    pair.freezePrimary();
    const answers = await Promise.all([
      execute("first"),
      ...["/v3/sites", `/v3/devices/${deviceId}/commands/executions`].map((path) => node.admin.get(path)),
    ]);
    for (const { status, body, headers } of answers) {
      expect([status, body.errors?.[0].code, headers.get("retry-after")]).toEqual([503, "storage_unavailable", "1"]);
    }
    await expect.poll(ready).toBe(503);
    pair.thaw();
    await isDone("first");
    await expect.poll(ready).toBe(200);

    // It hangs, and somebody promotes the standby.
    pair.freezePrimary();
    expect((await execute("second")).status).toBe(503);
    await pair.promote();
    await isDone("second");
    await expect.poll(ready).toBe(200);
    expect(await pair.onPrimary(EXECUTIONS)).toEqual([{ count: 3 }]);

    // What it had received goes on there, and waits for a standby that it no longer has. Nobody asks it for anything.
    pair.thaw();
    await isDone("third");
    expect(await pair.onPrimary(EXECUTIONS)).toEqual([{ count: 4 }]);
    let others = 0;
    const another = async () => {
      const { status, body } = await execute(`another-${others++}`);
      return body.execution?.state ?? [status, body];
    };
    await expect.poll(another, { timeout: 60_000 }).toBe("SUCCESS");
    expect(await pair.onOld(EXECUTIONS)).toEqual([{ count: 2 }]);
    expect(await ready()).toBe(200);

    // A node that stops does not wait for it either.
    pair.freezePrimary();
    await node.stop();
    const started = device.commands.map(({ id }) => id);
    expect(new Set(started).size, "started once each").toBe(started.length);
  },
);
