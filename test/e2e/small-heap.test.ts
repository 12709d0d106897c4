// A gateway with a small heap and more waiting commands than fit into it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commandManifest } from "../support/command-site.ts";
import { type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

const HEAP_MB = 72;
const DEVICES = 8;
const COMMANDS = 14;

let folder: string;
let server: RunningBusbar;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "busbar-e2e-heap-"));
});
afterAll(async () => {
  await server?.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = await startBusbar(folder, "--mqtt-port", "0", "--commands-response-timeout", "1h");
}

async function call<Body>(method: string, path: string, body?: string): Promise<Body> {
  const token = readFileSync(join(folder, ".busbar/admin.token"), "utf8").trim();
  const answer = await fetch(server.url + path, {
    method,
    headers: { "X-Service-Auth-Token": token },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  expect(answer.status, text.slice(0, 200)).toBe(200);
  return JSON.parse(text) as Body;
}
const post = <Body>(path: string, body: object) => call<Body>("POST", path, JSON.stringify(body));

test("110 MB of waiting commands do not stop a start with a heap of 72 MB", {
  timeout: 60_000,
}, async () => {
  await start();
  const { blueprint } = await call<{ blueprint: { id: string } }>(
    "POST",
    "/v3/blueprints/upload",
    commandManifest("Big"),
  );
  const { sites } = await call<{ sites: readonly { id: string }[] }>("GET", "/v3/sites");
  const devices: string[] = [];
  for (let n = 0; n < DEVICES; n++) {
    const device = { site_id: sites[0]?.id, name: `Device ${n}`, blueprint_id: blueprint.id };
    devices.push((await post<{ device_id: string }>("/v3/provisioning/standalone", device)).device_id);
  }
  const command = { name: "check", arguments: { flag: true, text: "x".repeat(1_000_000) } };
  for (const device of devices) {
    for (let n = 0; n < COMMANDS; n++) await post(`/v3/devices/${device}/commands/executions`, command);
  }
  await server.stop("SIGKILL");
  vi.stubEnv("NODE_OPTIONS", `--max-old-space-size=${HEAP_MB}`);
  await start();
  for (const device of devices) {
    const path = `/v3/devices/${device}/commands/executions?limit=1&state.in=NEW`;
    expect(await call("GET", path)).toMatchObject({ total_count: COMMANDS });
  }
  // The whole list is larger than the heap, too.
  const listed = await call<{ executions: readonly object[] }>(
    "GET",
    `/v3/sites/${sites[0]?.id}/commands/executions?limit=1000`,
  );
  expect(listed.executions).toHaveLength(DEVICES * COMMANDS);
});
