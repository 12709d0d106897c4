// A joined gateway or a cloud that is restored from a backup: the two agree again, and nothing runs twice.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { restoreBackup } from "#store/backup/restore-backup.ts";
import { commandsOf, connected } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair(["--commands-response-timeout", "5s"]);
const { cloud, gateway } = pair;
const file = join(tmpdir(), `busbar-restored-${process.pid}.tar.gz`);
afterAll(() => rmSync(file, { force: true }));

async function takeBackup(of: TestServer): Promise<void> {
  const backup = await of.admin.post("/v3/backups", {});
  expect(backup.status, backup.text.slice(0, 200)).toBe(200);
  writeFileSync(file, Buffer.from(backup.content));
}

async function restore(side: TestServer): Promise<void> {
  const { port, data } = side;
  await side.stop();
  for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true });
  await restoreBackup({ file, data, keys: {} });
  await side.restart(["--port", String(port)]);
}

const nameIn = async ({ admin }: TestServer, id: string) =>
  (await admin.get<{ device: { name: string } }>(`/v3/devices/${id}`)).body.device?.name;

test("after a restore both sides agree, and no command has run twice", async () => {
  const id = await pair.site.device("before");
  const config = await pair.site.configOf(id);
  const device = await connected(config);
  const [there, here] = [commandsOf(cloud.admin, id), () => commandsOf(gateway.admin, id)];
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ device: { connectivity: { status: string } } }>(
      `/v3/devices/${id}?expand=connectivity`,
    );
    expect(body.device?.connectivity.status).toBe("ONLINE");
  });
  const underWay = await there.started({ name: "start" });
  const command = await device.nextCommand("start");
  await eventually(async () => expect(await here().state(underWay)).toBe("IN_PROGRESS"));
  await takeBackup(gateway);

  // Everything from here on is lost on the gateway.
  await command.completed({ done: true });
  device.onCommand((next) => next.completed());
  const later = (await there.execute({ name: "stop" })).body.execution.id;
  expect(await there.state(later)).toBe("SUCCESS");
  expect((await cloud.admin.patch(`/v3/devices/${id}`, { name: "after" })).status).toBe(200);
  const lost = await pair.site.device("lost");
  await eventually(async () => expect(await nameIn(cloud, lost)).toBe("lost"));
  await eventually(async () => expect(await there.state(underWay)).toBe("SUCCESS"));
  expect(device.commands).toHaveLength(2);
  await device.close();

  await restore(gateway);
  const again = await connected({ ...config, mqtt_port: gateway.mqttPort ?? 0 });
  again.onCommand((next) => next.completed());
  await isLinked(gateway, true);
  await eventually(async () => expect(await nameIn(cloud, id)).toBe("before"));
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${lost}`)).status).toBe(404));
  // What had ended stays ended, and the gateway sends nothing a second time.
  await eventually(async () => expect(await here().state(underWay)).not.toBe("IN_PROGRESS"));
  expect([await there.state(underWay), await there.state(later)]).toEqual(["SUCCESS", "SUCCESS"]);
  expect(again.commands).toHaveLength(0);

  expect((await cloud.admin.patch(`/v3/devices/${id}`, { name: "now" })).status).toBe(200);
  expect([await nameIn(gateway, id), await nameIn(cloud, id)]).toEqual(["now", "now"]);
  const { body } = await there.execute({ name: "start" });
  expect(body.execution.state).toBe("SUCCESS");
  expect(again.commands).toHaveLength(1);
});

test("a cloud that is restored from before a rotation takes its gateway back, and learns its present credential", async () => {
  await isLinked(gateway, true);
  await takeBackup(cloud);
  const { body } = await cloud.admin.get<{ gateways: { id: string }[] }>("/v3/gateways");
  const rotate = `/v3/gateways/${body.gateways[0]?.id}/rotate_credential`;
  const rotations = () => cloud.log.match(/a gateway has another credential/g)?.length ?? 0;
  expect((await cloud.admin.post(rotate, undefined)).status).toBe(200);
  await eventually(async () => expect(rotations()).toBe(1));

  for (const time of [1, 2]) {
    await restore(cloud);
    await eventually(async () => expect(rotations()).toBe(1 + time));
    await isLinked(gateway, true);
    expect(gateway.log.match(/knows only the former credential/g)).toHaveLength(time);
  }
  // From now on it signs in with the present one.
  await gateway.restart();
  await isLinked(gateway, true);
  expect(gateway.log.match(/knows only the former credential/g)).toHaveLength(2);
  const id = await pair.site.device("after the restore");
  await eventually(async () => expect(await nameIn(cloud, id)).toBe("after the restore"));
});
