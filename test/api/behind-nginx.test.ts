// Behind a real nginx that speaks TLS, with the configuration of the example, and with the same but nginx's own buffering.
import { once } from "node:events";
import { request } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry } from "#client/resources.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { authorityCertificate } from "../support/certificates.ts";
import { type CommandSite, commandManifest, commandsOf, makeCommandSite, upload } from "../support/command-site.ts";
import { listen } from "../support/listen.ts";
import { hasNginx, type Nginx, startNginx } from "../support/nginx.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { openSocket } from "../support/web-socket.ts";

const busbar = useServer(["--mqtt-port", "0", "--http-trust-proxy", "127.0.0.1"]);
const known = getCACertificates("default");
const authority = authorityCertificate();
beforeAll(() => setDefaultCACertificates([...known, authority]));
afterAll(() => setDefaultCACertificates(known));

const WITH_POWER = `blueprint_spec: device/3.0
display_name: Meter
runtime: {type: embedded}
telemetry:
  power: {type: float, display_name: Power}
`;
const any = () => true;
const headers = { "X-Service-Auth-Token": ADMIN_TOKEN };
const withOwnBuffering = (example: string) => example.replaceAll(/^.*proxy_(?:request_)?buffering.*$/gm, "");

/** `address` is the one of a client that the suite alone has. */
function suite(address: string, edit?: (example: string) => string): void {
  let nginx: Nginx;
  let site: CommandSite;
  beforeAll(async () => {
    nginx = await startNginx(busbar.url, edit);
    site = await makeCommandSite(busbar, "Behind nginx");
  });
  afterAll(() => nginx.stop());
  const post = (path: string, body: Uint8Array | string, more = {}) =>
    fetch(nginx.url + path, { method: "POST", headers: { ...headers, ...more }, body: Buffer.from(body) });

  test("events come live, and a stream resumes where it stopped", async () => {
    const device = await site.device("Listened");
    const rename = (name: string) => busbar.admin.patch(`/v3/devices/${device}`, { name });
    const query = `?device_id.in=${device}&kind.in=device`;
    const live = await listen(nginx.url, ADMIN_TOKEN, { query });
    await rename("first");
    const { id: lastEventId } = await live.next(any);
    live.close();
    await rename("missed");
    const resumed = await listen(nginx.url, ADMIN_TOKEN, { query, lastEventId });
    await rename("last");
    await resumed.next(any);
    expect(await resumed.next(any)).toMatchObject({ event: "device" });
    expect(resumed.seen).toHaveLength(2);
    resumed.close();
  });

  test("a log comes over a WebSocket", async () => {
    const device = await site.device("Logged");
    const mqtt = await site.connect(device);
    const log = await openSocket(`${nginx.url}/v3/devices/${device}/logs`, headers);
    await mqtt.log("hello");
    expect(await log.next()).toMatchObject({ message: "hello" });
    log.socket.close();
    await log.closed;
  });

  test("a package and an import that are larger than nginx allows by default are taken", async () => {
    const files = { "manifest.yml": Buffer.from(commandManifest(`Uploaded ${address}`)), "notes.txt": noise(900_000) };
    const zip = packPackage(new Map(Object.entries(files)));
    expect((await post("/v3/blueprints/upload", zip)).status).toBe(200);
    const rows = Array.from({ length: 200_000 }, (_, i) => `${1_700_000_000 + i},${i % 97}`);
    const csv = `ts,telemetry=power\n${rows.join("\n")}\n`;
    const blueprint_id = await upload(busbar, WITH_POWER);
    const device = await site.device("Imported", { blueprint_id });
    const answer = await post(`/v3/devices/${device}/telemetry/import`, csv, { "Content-Type": "text/csv" });
    expect(await answer.json()).toMatchObject({ rows: rows.length, problem_count: 0 });
  });

  test("a call that waits for its command gets white space meanwhile", async () => {
    const device = await site.device("Slow");
    const mqtt = await site.connect(device);
    const called = post(`/v3/devices/${device}/commands/execute`, '{"name": "stop"}');
    const command = await mqtt.nextCommand("stop");
    const reader = (await called).body?.getReader();
    const text = async () => new TextDecoder().decode((await reader?.read())?.value);
    // The command is answered only after the first space has come through.
    expect(await text()).toMatch(/^ +$/);
    await command.completed({ done: true });
    let rest = "";
    for (let piece = await text(); piece !== ""; piece = await text()) rest += piece;
    expect(JSON.parse(rest)).toMatchObject({ execution: { state: "SUCCESS" } });
  });

  test("the audit log has the address of the client, whatever the client says about it", async () => {
    const call = request(`${nginx.url}/v3/sites`, {
      ca: authority,
      localAddress: address,
      headers: { "X-Service-Auth-Token": "wrong", "X-Forwarded-For": "203.0.113.9" },
    });
    const [answer] = await once(call.end(), "response");
    expect(answer.resume().statusCode).toBe(401);
    const refused = async () => {
      const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?outcome.in=REFUSED&limit=10");
      return body.entries.map((entry) => entry.remote_address);
    };
    await expect.poll(refused).toContain(address);
    expect(await refused()).not.toContain("203.0.113.9");
  });

  test("the cookie of a session is for TLS alone, and metrics stay closed", async () => {
    const signedIn = await post("/v3/sessions", JSON.stringify({ token: ADMIN_TOKEN }), {
      "Sec-Fetch-Site": "same-origin",
    });
    expect(signedIn.headers.get("set-cookie")).toMatch(/^__Host-.*; Secure$/);
    expect((await fetch(`${nginx.url}/metrics`)).status).toBe(403);
  });

  test("a list of executions is there, also after a keep-alive", async () => {
    const device = await site.device("Listed");
    await commandsOf(busbar.admin, device).started({ name: "stop" });
    for (let call = 0; call < 3; call += 1) {
      const answer = await fetch(`${nginx.url}/v3/devices/${device}/commands/executions`, { headers });
      expect(await answer.json()).toMatchObject({ total_count: 1 });
    }
  });
}

/** Bytes that no zip makes smaller. */
function noise(bytes: number): Uint8Array {
  let seed = 1;
  return Uint8Array.from({ length: bytes }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed >>> 16;
  });
}

if (hasNginx) {
  describe("behind nginx as in the example", () => suite("127.0.0.2"));
  describe("behind nginx with its own buffering", () => suite("127.0.0.3", withOwnBuffering));
} else {
  console.log("no /usr/sbin/nginx here: the suite behind a real proxy does not run");
  test("without nginx there is only the example to look at", () => expect(hasNginx).toBe(false));
}
