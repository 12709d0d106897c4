// A file of the data folder that cannot be used costs its own part, never the start.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--demo", "--demo-history", "1d", "--mqtt-port", "0", "--mqtt-tls-port", "0"]);

const file = (name: string) => join(busbar.data, name);

async function degradedParts(): Promise<readonly string[]> {
  const { status, body } = await busbar.anonymous.get<{ degraded?: readonly { part: string }[] }>("/readyz");
  expect(status).toBe(200);
  return (body.degraded ?? []).map(({ part }) => part);
}

/** Six of the demo, and the gateway itself. */
async function deviceCount(): Promise<number> {
  return (await busbar.admin.get<{ total_count: number }>("/v3/devices")).body.total_count;
}

test.each<readonly [string, (text: string) => string]>([
  ["ports that are none", (text) => text.replace(/"ports": \{[^}]*\}/, '"ports": {"inverter": 99999, "charger": "x"}')],
  ["devices that are none", (text) => text.replace(/"devices": \{/, '"devices": {"battery": 5, ')],
  ["a plant of centuries ago", (text) => text.replace(/"at": \d+/, '"at": -9000000000000000')],
  ["half of it", (text) => text.slice(0, 500)],
])("the demo's file with %s is no obstacle", async (_what, spoil) => {
  await busbar.stop();
  const before = readFileSync(file("demo.json"), "utf8");
  expect(spoil(before)).not.toBe(before);
  writeFileSync(file("demo.json"), spoil(before));
  await busbar.restart();
  await degradedParts();
  expect(await deviceCount()).toBe(7);
});

test("certificates that cannot be read cost MQTT over TLS, and stay as they are", async () => {
  await busbar.stop();
  const [name = ""] = readdirSync(file("pki")).filter((one) => one.startsWith("ca"));
  const kept = readFileSync(join(file("pki"), name));
  writeFileSync(join(file("pki"), name), "not a certificate");
  await busbar.restart();
  expect(await degradedParts()).toContain("mqtt");
  expect(readFileSync(join(file("pki"), name), "utf8")).toBe("not a certificate");
  expect(busbar.mqttPort).toBeGreaterThan(0);
  await busbar.stop();
  writeFileSync(join(file("pki"), name), kept);
  await busbar.restart();
  expect(await degradedParts()).not.toContain("mqtt");
});

test("rubbish where a folder or a file of Busbar's own belongs is no obstacle", async () => {
  await busbar.stop();
  rmSync(file("rocks"), { recursive: true, force: true });
  writeFileSync(file("rocks"), "no folder");
  renameSync(file("demo.json"), file("demo.old"));
  mkdirSync(file("demo.json"));
  await busbar.restart();
  expect(await degradedParts()).toContain("demo");
  expect(await deviceCount()).toBe(7);
});
