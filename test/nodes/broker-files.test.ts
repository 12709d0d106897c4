// The recipe of docs/deploy.md with a real Mosquitto: its files come from the database, and devices that they name get in.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { hasMosquitto } from "../support/mosquitto.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

let server: Postgres;
beforeAll(async () => {
  if (hasMosquitto) server = await startPostgres();
});
afterAll(() => server?.stop());

const START = { name: "start", arguments: { power: 1 } };

test.runIf(hasMosquitto)(
  "busbar broker files makes Mosquitto let devices in with their secrets, to their own topics",
  async () => {
    const url = await server.prepared("files");
    const dir = join(tempFolder(), "mosquitto");
    mkdirSync(dir, { mode: 0o755 });
    const port = await freePort();
    const broker = `mqtt://busbar:secret%20of%20busbar@127.0.0.1:${port}`;
    const node = await startNode({ url, env: { BUSBAR_MQTT_URL: broker }, flags: ["--mqtt-client-id", "files"] });
    const site = await makeNodeSite(node.admin);
    const [one, other] = [await site.device("One"), await site.device("Other")];
    const config = await site.configOf(one);
    const write = (...more: readonly string[]) =>
      runBusbar(["broker", "files", "--dir", dir, ...more], {
        env: { BUSBAR_DATABASE_URL: url, BUSBAR_MQTT_URL: broker },
        cwd: dir,
      });
    expect(await write()).toMatchObject({ code: 0, out: "1 devices; passwords and acl written\n" });
    expect(await write()).toMatchObject({ code: 0, out: "1 devices; nothing has changed\n" });
    await startBroker(dir, port);

    const device = await retry(() => connectAt(config, port));
    const execute = async (id: string) =>
      (await node.admin.post(`/v3/devices/${id}/commands/execute`, START)).body.execution?.state;
    await expect.poll(() => node.log.includes("connected to the MQTT broker")).toBe(true);
    await device.log("here", { persist: true });
    expect(await execute(one)).toBe("SUCCESS");

    // A second device, and a new secret of the first: both count as soon as Mosquitto has read the files again.
    const second = await site.configOf(other);
    await expect(connectAt(second, port)).rejects.toThrow();
    expect(await write("--reload", join(dir, "mosquitto.pid"))).toMatchObject({
      code: 0,
      out: "2 devices; passwords written\n",
    });
    const connected = await retry(() => connectAt(second, port));
    await connected.log("here", { persist: true });
    expect(await execute(other)).toBe("SUCCESS");
    // Another's topics are closed to it.
    const refused = connected.commands.length;
    await connected.client.subscribeAsync(`v1/to/${config.hardware_id}/#`, { qos: 1 }).catch(() => {});
    expect(await execute(one)).toBe("SUCCESS");
    expect(await execute(other)).toBe("SUCCESS");
    expect(connected.commands.length).toBe(refused + 1);
    await device.close();
    const passwords = readFileSync(join(dir, "passwords"), "utf8");
    for (const secret of [config.mqtt_credentials.password, second.mqtt_credentials.password, "secret of busbar"]) {
      expect(passwords).not.toContain(secret);
    }
  },
);

test("without the addresses of the database and the broker it says which are missing", async () => {
  const run = (env: Record<string, string>) => runBusbar(["broker", "files", "--dir", "."], { env, cwd: tempFolder() });
  expect((await run({})).err).toContain("BUSBAR_DATABASE_URL");
  const database = { BUSBAR_DATABASE_URL: "postgres://nobody@127.0.0.1:1/x" };
  expect((await run({ ...database, BUSBAR_MQTT_URL: "mqtt://127.0.0.1" })).err).toContain("BUSBAR_MQTT_URL");
});

async function startBroker(dir: string, port: number): Promise<void> {
  const conf = join(dir, "mosquitto.conf");
  writeFileSync(
    conf,
    `listener ${port} 127.0.0.1
user root
allow_anonymous false
password_file ${dir}/passwords
acl_file ${dir}/acl
pid_file ${dir}/mosquitto.pid
persistence false
`,
  );
  const child = spawn("/usr/sbin/mosquitto", ["-c", conf], { stdio: "ignore" });
  onTestFinished(async () => {
    const gone = once(child, "exit");
    child.kill();
    await gone;
  });
}

/** A broker that has been asked to read its files again does so a moment later. */
async function retry<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= 50) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
