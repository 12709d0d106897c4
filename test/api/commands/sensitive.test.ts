// Sensitive arguments: the device alone sees them.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { listen } from "../../support/listen.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--log-level", "trace"]);
const CANARY = "canary-7e1f4d";

let site: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Sensitive");
  deviceId = await site.device("Door");
});

/** Every byte that the service has written, its write-ahead log included. */
function everyByte(): string {
  const files = readdirSync(busbar.data, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
}

const unlock = { name: "unlock", arguments: { door: "north", pin: CANARY, keys: { master: [CANARY] } } };

test("a sensitive argument reaches the device in the clear and reads *** everywhere else", async () => {
  const events = await listen(busbar.url, busbar.adminToken);
  const { create, execute, get, list } = commandsOf(busbar.admin, deviceId);
  const headers = { "Idempotency-Key": "door-1" };
  // Waits for its device, so that it is read, listed and stored while it is open.
  const waiting = await create(unlock, headers);
  const id = waiting.body.execution_id;
  const shown = { door: "north", pin: "***", keys: "***" };
  const answers = [waiting.text, (await get(id)).text, (await list()).text];
  expect((await get(id)).body.execution.request.arguments).toEqual(shown);
  expect(everyByte()).not.toContain(CANARY);

  const device = await site.connect(deviceId);
  const command = await device.nextCommand();
  expect(command.arguments).toEqual(unlock.arguments);
  await command.completed({ opened: true });
  device.onCommand((one) => one.completed());
  const executed = await execute(unlock, { query: "?expand=log" });
  expect(device.commands[1]?.arguments).toEqual(unlock.arguments);
  expect(executed.body.execution.request.arguments).toEqual(shown);
  await events.next(
    ({ data }) => data.execution?.id === executed.body.execution.id && data.execution.state === "SUCCESS",
  );

  for (const path of [
    `/v3/devices/${deviceId}/commands/executions?retention=all`,
    `/v3/sites/${site.siteId}/commands/executions`,
    "/v3/audit?limit=1000",
    "/metrics",
    `/v3/devices/${deviceId}/logs`,
  ]) {
    answers.push((await busbar.admin.get(path)).text);
  }
  for (const text of [...answers, executed.text, events.text(), busbar.log, everyByte()]) {
    expect(text).not.toContain(CANARY);
  }
});

test("with the end of the execution the sealed value is gone from its row", async () => {
  const { started } = commandsOf(busbar.admin, deviceId);
  const device = await site.connect(deviceId);
  const id = await started(unlock);
  const command = await device.nextCommand();
  const sealed = () => {
    const database = new DatabaseSync(join(busbar.data, "records.db"), { readOnly: true });
    const row = database.prepare("SELECT sealed FROM execution WHERE id = ?").get(id);
    database.close();
    return row?.["sealed"];
  };
  expect(sealed()).toBeInstanceOf(Uint8Array);
  await command.log({ percent: 1 });
  expect(sealed()).toBeInstanceOf(Uint8Array);
  await command.completed();
  expect(sealed()).toBeNull();
});

test("a refused value is not repeated, in the answer, the audit log or the process log", async () => {
  const refused = await commandsOf(busbar.admin, deviceId).create({
    name: "unlock",
    arguments: { door: 5, pin: [CANARY] },
  });
  expect(refused.status).toBe(400);
  expect(refused.errors).toHaveLength(2);
  for (const text of [refused.text, (await busbar.admin.get("/v3/audit?limit=1000")).text, busbar.log, everyByte()]) {
    expect(text).not.toContain(CANARY);
  }
});

test("an idempotency key remembers a secret request only under the key of this installation", async () => {
  const { create } = commandsOf(busbar.admin, deviceId);
  const headers = { "Idempotency-Key": "pin-1" };
  const first = await create({ name: "unlock", arguments: { pin: "1234" } }, headers);
  const again = await create({ name: "unlock", arguments: { pin: "1234" } }, headers);
  expect(again.body).toEqual(first.body);
  expect((await create({ name: "unlock", arguments: { pin: "1235" } }, headers)).status).toBe(409);
  const plain = createHash("sha256")
    .update(JSON.stringify(["unlock", { pin: "1234" }, false]))
    .digest()
    .toString("latin1");
  expect(everyByte()).not.toContain(plain);
});
