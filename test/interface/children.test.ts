// Commands to devices of type CHILD, which their parents carry.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { connectPacket, connectRaw, publishPacket, subscribePacket } from "../support/raw-mqtt.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const site = useSite();
const { busbar } = site;
const DEVICE = manifestWith("command_groups: {g: {display_name: G}}\ncommands: {run: {group: g, display_name: Run}}");

/** A parent that speaks MQTT by hand, and its child. */
async function family(slug: string) {
  const parent = await site.device(DEVICE);
  const config = await parent.config();
  const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/child_device", {
    name: "Child",
    slug,
    parent_id: parent.id,
    child_type: "cell",
    blueprint_id: await site.blueprint(DEVICE),
  });
  const { username = "", password = "" } = config.mqtt_credentials;
  const dial = async () => {
    const raw = await connectRaw(config.mqtt_port, connectPacket({ username, password }));
    await raw.seen("connack 0");
    raw.send(subscribePacket(1, [`v1/to/${config.hardware_id}/#`]));
    await raw.seen("suback 1");
    return raw;
  };
  const topics = (direction: string) => `v1/${direction}/${config.hardware_id}/${slug}`;
  return { parent, child: site.deviceAt(body.device_id), dial, from: topics("from"), to: topics("to") };
}

check("commands.child-over-parent", async () => {
  const { child, dial, from, to } = await family("cell-1");
  const raw = await dial();
  const id = await child.started({ name: "run" });
  const topic = `publish ${to}/v1/command/requests `;
  expect(JSON.parse((await raw.seen(topic)).slice(topic.length))).toEqual({ id, name: "run", arguments: {} });
  await expect.poll(() => child.state(id)).toBe("IN_PROGRESS");
  const answer = JSON.stringify({ id, state: "completed", payload: { by: "child" } });
  raw.send(publishPacket(`${from}/v1/command/responses`, answer, { qos: 1, id: 2 }));
  await raw.seen("puback 2");
  expect((await child.get(id)).body.execution).toMatchObject({
    state: "SUCCESS",
    response: { payload: { by: "child" } },
  });
  await raw.end();
});

check("commands.child-without-parent", async () => {
  const { child, dial, to } = await family("cell-2");
  const id = await child.started({ name: "run" });
  expect(await child.state(id)).toBe("NEW");
  const raw = await dial();
  expect(await raw.seen(`publish ${to}/v1/command/requests`)).toContain(id);
  await raw.end();
  const status = async () => (await child.read("connectivity"))["connectivity"];
  await expect.poll(status).toEqual({ status: "OFFLINE" });
  const unreachable = await child.started({ name: "run" });
  site.advance(30_000);
  await expect.poll(() => child.state(unreachable)).toBe("TIMEOUT");
});
