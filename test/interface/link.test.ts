// What the interface says about a cloud and its gateways.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { commandsOf } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { useServer } from "../support/server.ts";

// A short patience, so that a deadline passes while the line is cut.
const pair = useLinkedPair(["--commands-response-timeout", "8s"]);
const { cloud, gateway } = pair;
const other = useServer(["--mqtt-port", "off"]);

/** A command that the device has got and not answered. */
async function underWay(name: string) {
  const id = await pair.site.device(name);
  const device = await pair.site.connect(id);
  const [there, here] = [commandsOf(cloud.admin, id), commandsOf(gateway.admin, id)];
  await eventually(async () => {
    const found = await cloud.admin.get<{ device: { connectivity: { status: string } } }>(
      `/v3/devices/${id}?expand=connectivity`,
    );
    expect(found.body.device?.connectivity.status).toBe("ONLINE");
  });
  const execution = await there.started({ name: "start" });
  const command = await device.nextCommand("start");
  await eventually(async () => expect(await there.state(execution)).toBe("IN_PROGRESS"));
  return { execution, command, there, here };
}

check("execution.state-unsync", async () => {
  const { execution, command, there } = await underWay("one");
  pair.line.cut();
  await eventually(async () => expect(await there.state(execution)).toBe("UNSYNC"));
  pair.line.heal();
  await isLinked(gateway, true);
  await command.completed();
});

check("commands.unsync-cloud-only", async () => {
  const { execution, command, there, here } = await underWay("two");
  pair.line.cut();
  await eventually(async () => expect(await there.state(execution)).toBe("UNSYNC"));
  expect(await here.state(execution)).not.toBe("UNSYNC");
  await command.completed();
  expect([await here.state(execution), await there.state(execution)]).toEqual(["SUCCESS", "UNSYNC"]);
  pair.line.heal();
  await eventually(async () => expect(await there.state(execution)).toBe("SUCCESS"));
});

check("commands.cloud-no-timeout", async () => {
  const { execution, command, there, here } = await underWay("three");
  pair.line.cut();
  await eventually(async () => expect(await there.state(execution)).toBe("UNSYNC"));
  await eventually(async () => expect(await here.state(execution)).toBe("TIMEOUT"));
  expect(await there.state(execution)).toBe("UNSYNC");
  await command.completed();
  expect(await here.state(execution)).toBe("SUCCESS");
  pair.line.heal();
  await eventually(async () => expect(await there.state(execution)).toBe("SUCCESS"));
});

check("running.role-cloud", async () => {
  const { body } = await cloud.admin.get<{ gateways: object[] }>("/v3/gateways");
  expect(body.gateways).toMatchObject([{ name: "North", connected: true, version: expect.any(String) }]);
});

check("running.cloud-url", async () => {
  const { body } = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "South" });
  await other.restart(["--cloud-url", cloud.url], { BUSBAR_CLOUD_TOKEN: body.code });
  await isLinked(other, true);
  // The code is used up, and yet the gateway comes back.
  await other.restart(["--cloud-url", cloud.url], { BUSBAR_CLOUD_TOKEN: body.code });
  await isLinked(other, true);
});
