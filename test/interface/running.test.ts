// Running it: the program, its settings, and the commands of a checkout.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { check } from "../support/check.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { callBusbar, type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "busbar-running-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const ADMIN_TOKEN = "a-text-of-at-least-thirty-two-characters";
const folder = newFolder();
const demoFolder = newFolder();
let gateway: RunningBusbar;
let demo: { readonly url: string; readonly pid: number };

beforeAll(async () => {
  [gateway, demo] = await Promise.all([startBusbar(folder, "--mqtt-port", "0"), npmStart()]);
});
afterAll(async () => {
  process.kill(-demo.pid, "SIGKILL");
  await gateway.stop("SIGKILL");
});

/** `npm start` in this checkout, with data of its own and without MQTT. */
async function npmStart(): Promise<typeof demo> {
  const words = ["start", "--", "--port", "0", "--data", demoFolder, "--log-format", "json"];
  const env = { ...process.env, BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, BUSBAR_MQTT_PORT: "off" };
  const child = spawn("npm", words, { cwd: ROOT, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    const take = (part: Buffer) => {
      text += part.toString();
      const [, address] = /"url":"(http[^"]+)"[^\n]*"msg":"ready"/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("exit", () => reject(new Error(text)));
  });
  return { url, pid: child.pid ?? 0 };
}

const token = () => readFileSync(join(folder, ".busbar", "admin.token"), "utf8").trim();

async function call<Body>(
  url: string,
  path: string,
  secret: string,
  json?: object,
): Promise<{ status: number; body: Body }> {
  const sent = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
  const response = await fetch(url + path, { headers: { "X-Service-Auth-Token": secret }, ...sent });
  return { status: response.status, body: (await response.json()) as Body };
}

/** The answer of generate_config for a new device. */
async function newConfig(url: string, secret: string) {
  const { body } = await call<{ sites: readonly { id: string }[] }>(url, "/v3/sites", secret);
  const wanted = { name: "Device", site_id: body.sites[0]?.id };
  const made = await call<{ device_id: string }>(url, "/v3/provisioning/standalone", secret, wanted);
  const path = `/v3/devices/${made.body.device_id}/generate_config`;
  return await call<{ config: { mqtt_port: number } }>(url, path, secret, { protocol: "MQTT" });
}

/** Each setting by its name: its value and where it came from. */
async function settings(words: readonly string[] = [], env: Readonly<Record<string, string>> = {}, cwd = folder) {
  const { code, out, err } = await runBusbar(["config", ...words], { env, cwd });
  expect(code, err).toBe(0);
  const lines = out.split("\n").map((line) => line.trim().split(/\s{2,}/));
  return new Map(lines.map(([name = "", value = "", ...origin]) => [name, { value, origin: origin.join(" ") }]));
}

check("running.one-program", async () => {
  expect(gateway.log.join("\n")).toMatch(/"role":"gateway"[^\n]*"msg":"ready"/);
  const files = ["records.db", "telemetry.db"].map((file) => existsSync(join(folder, ".busbar", file)));
  expect(files).toEqual([true, true]);
  const { body } = await newConfig(gateway.url, token());
  await new Promise<void>((resolve, reject) => {
    const socket = connect(body.config.mqtt_port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.on("error", reject);
  });
});

check("running.demo", async () => {
  const { body } = await call<{ devices: readonly object[] }>(demo.url, "/v3/devices", ADMIN_TOKEN);
  expect(body.devices.length).toBeGreaterThan(3);
  const without = await call<{ devices: readonly object[] }>(gateway.url, "/v3/devices", token());
  expect(without.body.devices.length).toBeLessThan(3);
});

check("running.bin-busbar", async () => {
  const { code, out } = await callBusbar(folder, ["--version"]);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  expect([code, out.trim()]).toEqual([0, expect.stringContaining(version)]);
});

check("running.settings-order", async () => {
  const cwd = newFolder();
  const env = { BUSBAR_PORT: "9002" };
  expect((await settings([], {}, cwd)).get("port")?.value).toBe("8080");
  writeFileSync(join(cwd, "busbar.yaml"), "port: 9001\n");
  expect((await settings([], {}, cwd)).get("port")?.value).toBe("9001");
  expect((await settings([], env, cwd)).get("port")?.value).toBe("9002");
  expect((await settings(["--port", "9003"], env, cwd)).get("port")?.value).toBe("9003");
});

check("running.settings-names", async () => {
  const all = await settings([], { BUSBAR_COMMANDS_RESPONSE_TIMEOUT: "45s" });
  expect(all.get("commands.response_timeout")?.value).toBe("45s");
});

check("running.config-command", async () => {
  const all = await settings(["--port", "9000"], { BUSBAR_DATA: "./elsewhere", BUSBAR_ADMIN_TOKEN: "x".repeat(40) });
  expect(all.get("port")).toMatchObject({ value: "9000", origin: expect.stringContaining("flag") });
  expect(all.get("data")?.origin).toContain("BUSBAR_DATA");
  expect(all.get("host")).toMatchObject({ value: "127.0.0.1", origin: expect.stringContaining("default") });
  expect(all.get("admin.token")?.value).toBe("***");
});

check("running.data", async () => {
  expect((await settings()).get("data")?.value).toMatch(/\.busbar$/);
  expect((await settings([], { BUSBAR_DATA: "./other" })).get("data")?.value).toMatch(/other$/);
  expect(existsSync(join(folder, ".busbar", "admin.token"))).toBe(true);
});

check("running.address", async () => {
  const all = await settings();
  expect([all.get("host")?.value, all.get("port")?.value]).toEqual(["127.0.0.1", "8080"]);
  expect(new URL(gateway.url).hostname).toBe("127.0.0.1");
});

check("running.mqtt-port", async () => {
  expect((await settings()).get("mqtt.port")?.value).toBe("1883");
  const { status, body } = await newConfig(demo.url, ADMIN_TOKEN);
  expect([status, body]).toMatchObject([409, { errors: [{ code: "not_available" }] }]);
});

check("running.admin-token", async () => {
  expect((await call(demo.url, "/v3/sites", ADMIN_TOKEN)).status).toBe(200);
  expect(existsSync(join(demoFolder, "admin.token"))).toBe(false);
  const short = await runBusbar("config", { env: { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN.slice(0, 31) }, cwd: folder });
  expect([short.code === 0, short.err]).toEqual([false, expect.stringContaining("32")]);
});

check("running.npm-start", async () => {
  expect((await call(demo.url, "/readyz", ADMIN_TOKEN)).status).toBe(200);
  expect(existsSync(join(demoFolder, "records.db"))).toBe(true);
});

check(
  "running.npm-test",
  async () => {
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile("npm", ["test", "--", "src/core/secret.test.ts"], { cwd: ROOT }, (error, stdout) =>
        resolve({ code: error?.code ?? 0, out: stdout }),
      );
    });
    expect([code, out]).toEqual([0, expect.stringMatching(/^[1-9]\d* passed, 0 failed, 0 skipped$/m)]);
  },
  120_000,
);
