// A command that is given to one node and carried out by a device at another one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_CITUS, startCitus } from "../support/citus.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { IS_LONG } from "../support/rounds.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";

const START = { name: "start", arguments: { power: 1 } };

/** Where Citus spreads the tables, the device's rows are on another server than the locks and the notifications. */
const DATABASES: Readonly<Record<string, () => Promise<Pick<Postgres, "prepared" | "stop">>>> = {
  PostgreSQL: startPostgres,
  ...(HAS_CITUS && { Citus: startCitus }),
};

sayIfWithoutCitus();

describe.each(Object.entries(DATABASES))("on %s", (name, startDatabase) => {
  /** Of Citus, what depends on where rows and locks are. */
  const always = test.runIf(IS_LONG || name === "PostgreSQL");
  let server: Pick<Postgres, "prepared" | "stop">;
  beforeAll(async () => {
    server = await startDatabase();
  });
  afterAll(() => server.stop());

  /** Notifications make it quick, and without them it is right all the same. */
  for (const notifications of [true, false]) {
    test(`a command reaches a device at another node and its answer the caller, ${notifications ? "with" : "without"} notifications`, async () => {
      const url = await server.prepared(`commands_${notifications}`);
      const one = await startNode({ url, notifications });
      const other = await startNode({ url, notifications, like: one });
      const site = await makeNodeSite(one.admin);
      const deviceId = await site.device("Pump");
      const device = await connectAt(await site.configOf(deviceId), other.mqttPort);

      for (let round = 0; round < 10; round++) {
        const { status, body } = await one.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
        expect([status, body.execution.state]).toEqual([200, "SUCCESS"]);
      }
      const near = await other.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
      expect(near.body).toMatchObject({ execution: { state: "SUCCESS" } });
      expect(new Set(device.commands.map(({ id }) => id)).size).toBe(11);
      expect(device.commands).toHaveLength(11);
    });
  }

  always("a command waits for a device that is nowhere, and the node that the device comes to sends it", async () => {
    const url = await server.prepared("waiting");
    const one = await startNode({ url });
    const other = await startNode({ url, like: one });
    const site = await makeNodeSite(one.admin);
    const deviceId = await site.device("Pump");
    const config = await site.configOf(deviceId);
    const waiting = one.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
    const executions = `/v3/devices/${deviceId}/commands/executions`;
    await expect.poll(async () => (await other.admin.get(executions)).body.total_count).toBe(1);
    await connectAt(config, other.mqttPort);
    expect((await waiting).body.execution.state).toBe("SUCCESS");
  });

  test("a device that has connections to both nodes gets a command once", async () => {
    const url = await server.prepared("both");
    const one = await startNode({ url });
    const other = await startNode({ url, like: one });
    const site = await makeNodeSite(one.admin);
    const deviceId = await site.device("Pump");
    const config = await site.configOf(deviceId);
    const devices = [await connectAt(config, one.mqttPort), await connectAt(config, other.mqttPort)];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, round) =>
        (round % 2 === 0 ? one : other).admin.post(`/v3/devices/${deviceId}/commands/execute`, START),
      ),
    );
    expect(new Set(answers.map((answer) => answer.body.execution.state))).toEqual(new Set(["SUCCESS"]));
    const started = devices.flatMap(({ commands }) => commands.map(({ id }) => id));
    expect([started.length, new Set(started).size]).toEqual([40, 40]);
  });

  always("an execution whose node is gone ends all the same, and a caller at another node learns it", async () => {
    const url = await server.prepared("overdue");
    const flags = ["--commands-response-timeout", "1s"];
    const one = await startNode({ url, flags });
    const other = await startNode({ url, flags, like: one });
    const site = await makeNodeSite(one.admin);
    const deviceId = await site.device("Pump");
    const made = await one.admin.post(`/v3/devices/${deviceId}/commands/executions`, START, { "Idempotency-Key": "k" });
    await one.stop();
    // The same key gives the same execution at the other node, and its end is waited for there.
    const answer = await other.admin.post(`/v3/devices/${deviceId}/commands/execute`, START, {
      "Idempotency-Key": "k",
    });
    expect([answer.body.execution.id, answer.body.execution.state]).toEqual([made.body.execution_id, "TIMEOUT"]);
  });

  always("a node with another key of sealed values is refused", async () => {
    const url = await server.prepared("keys");
    await startNode({ url });
    await expect(startNode({ url })).rejects.toThrow(/is not the key of the other nodes/);
  });
});
