// A gateway with a small heap and more waiting commands than fit into it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { instant } from "#core/time/instant.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { commandManifest } from "../support/command-site.ts";
import { asNew, makeExecution } from "../support/executions.ts";
import { makeEntry } from "../support/records.ts";
import { IS_LONG } from "../support/rounds.ts";
import { type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

const HEAP_MB = 72;
const DEVICES = 8;
const COMMANDS = 11;

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

function request(method: string, path: string, body?: string): Promise<Response> {
  const token = readFileSync(join(folder, ".busbar/admin.token"), "utf8").trim();
  const headers = { "X-Service-Auth-Token": token };
  return fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) });
}

async function call<Body>(method: string, path: string, body?: string): Promise<Body> {
  const answer = await request(method, path, body);
  const text = await answer.text();
  expect(answer.status, text.slice(0, 200)).toBe(200);
  return JSON.parse(text) as Body;
}

/** Straight into the store, because 88 MB over HTTP take much longer. */
async function fill(siteId: string, devices: readonly string[]): Promise<void> {
  const records = await openRecords(join(folder, ".busbar"), (error) => {
    throw error;
  });
  const check = { name: "check", manifestName: "check", arguments: { flag: true, text: "x".repeat(1_000_000) } };
  const createdAt = instant(Date.now());
  const deadline = instant(createdAt + 3_600_000);
  for (const deviceId of devices) {
    const commands = Array.from({ length: COMMANDS }, () =>
      asNew(makeExecution({ siteId, deviceId }, { request: check, createdAt, deadline })),
    );
    await Promise.all(commands.map((command) => records.executions.insert(command, makeEntry())));
  }
  await records.close();
}

const post = <Body>(path: string, body: object) => call<Body>("POST", path, JSON.stringify(body));

test.runIf(IS_LONG)("88 MB of waiting commands do not stop a start with a heap of 72 MB", async () => {
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
  await server.stop("SIGKILL");
  await fill(sites[0]?.id ?? "", devices);
  vi.stubEnv("NODE_OPTIONS", `--max-old-space-size=${HEAP_MB}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await start();
  for (const device of devices) {
    const path = `/v3/devices/${device}/commands/executions?limit=1&state.in=NEW`;
    expect(await call("GET", path)).toMatchObject({ total_count: COMMANDS });
  }
  // The whole list is larger than the heap, too.
  const answer = await request("GET", `/v3/sites/${sites[0]?.id}/commands/executions?limit=1000`);
  let names = 0;
  let bytes = 0;
  let end = "";
  for await (const piece of answer.body ?? []) {
    const text = end + Buffer.from(piece).toString("latin1");
    // What lies across two pieces is found with the next one.
    names += text.split('"manifest_name":').length - 1;
    end = text.slice(-15);
    bytes += piece.length;
  }
  expect(names).toBe(DEVICES * COMMANDS);
  expect(bytes).toBeGreaterThan(HEAP_MB * 1_048_576);
});
