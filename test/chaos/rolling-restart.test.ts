// Two nodes behind the documented nginx are restarted one after the other while calls go on: no call fails that nginx may
// repeat, and each command starts once.
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { authorityCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { hasMosquitto, startMosquitto } from "../support/mosquitto.ts";
import { hasNginx, startNginx } from "../support/nginx.ts";
import { makeNodeSite } from "../support/node-site.ts";
import { NODE_ADMIN_TOKEN } from "../support/nodes.ts";
import { startPostgres } from "../support/postgres.ts";
import { IS_LONG } from "../support/rounds.ts";
import { createSession, type Session } from "../support/session.ts";
import { startCountingDevice } from "./counting-device.ts";
import { NodeVictim } from "./node-victim.ts";

const AT_ONCE = 4;
/** Commands around each event of the test: a load without end takes most of the processor while nodes start. */
const CALLS = 20;
const known = getCACertificates("default");
beforeAll(() => setDefaultCACertificates([...known, authorityCertificate()]));
afterAll(() => setDefaultCACertificates(known));

/** The configuration on the page, with these ports. */
function documentedNginx(ports: readonly number[]): string {
  const page = readFileSync(new URL("../../docs/deploy.md", import.meta.url), "utf8");
  const [, block = ""] = /^```nginx\n(.*?)^```/ms.exec(page) ?? [];
  return ports
    .reduce((text, port, at) => text.replace(`10.0.0.${at + 1}:8080`, `127.0.0.1:${port}`), block)
    .replace(
      "listen 443 ssl;",
      "listen 443 ssl; ssl_certificate /etc/nginx/tls.crt; ssl_certificate_key /etc/nginx/tls.key;",
    );
}

class Load {
  readonly failures: string[] = [];
  readonly executions = new Map<string, string>();
  calls = 0;
  /** Nothing new is asked for beyond so many. */
  limit = 0;
  isOver = false;

  async run(session: Session, deviceId: string): Promise<void> {
    const one = async () => {
      while (!this.isOver) {
        if (this.calls < this.limit) await this.#call(session, deviceId, `key-${this.calls++}`);
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }

  async #call(session: Session, deviceId: string, key: string): Promise<void> {
    const read = await session.get("/v3/sites?limit=1");
    if (read.status !== 200) this.failures.push(`GET ${read.status} ${JSON.stringify(read.body)}`);
    const path = `/v3/devices/${deviceId}/commands/execute`;
    const command = { name: "start", arguments: { power: 1 } };
    const { status, body } = await session.post(path, command, { "Idempotency-Key": key });
    if (status === 200) this.executions.set(key, body.execution.id);
    else this.failures.push(`POST ${status} ${JSON.stringify(body)}`);
  }
}

test.runIf(IS_LONG && hasNginx && hasMosquitto)(
  "no call fails while two nodes are restarted one after the other, and each command starts once",
  async () => {
    const server = await startPostgres({ fsync: true });
    onTestFinished(() => server.stop());
    const mosquitto = await startMosquitto("anyone");
    onTestFinished(() => mosquitto.stop());
    const url = await server.prepared("rolling");
    const ports = [await freePort(), await freePort()];
    const victims = ports.map((port) => {
      const flags = ["--port", String(port), "--mqtt-client-id", "rolling", "--mqtt-sessions", "2"];
      return new NodeVictim({ url, flags, env: { BUSBAR_MQTT_URL: mosquitto.url } });
    });
    onTestFinished(async () => void (await Promise.all(victims.map((victim) => victim.kill()))));
    for (const victim of victims) await victim.start();
    const nginx = await startNginx("", () => documentedNginx(ports));
    onTestFinished(() => nginx.stop());
    const session = createSession(nginx.url, NODE_ADMIN_TOKEN);
    const site = await makeNodeSite(session);
    const deviceId = await site.device("Restarted around");
    const config = { ...(await site.configOf(deviceId)), mqtt_host: "127.0.0.1", mqtt_port: mosquitto.port };
    const device = await startCountingDevice(config, { isPresent: true });
    onTestFinished(() => device.close());

    const load = new Load();
    const running = load.run(session, deviceId);
    /** Resolves in the middle of as many calls as are made around an event. */
    const amongCalls = async () => {
      const middle = load.limit + CALLS / 2;
      load.limit += CALLS;
      await expect.poll(() => load.calls, { interval: 5 }).toBeGreaterThanOrEqual(middle);
    };
    for (const victim of victims) {
      await amongCalls();
      const { process } = victim.current ?? {};
      await victim.kill("SIGTERM");
      expect(process?.exitCode).toBe(0);
      await amongCalls();
      await victim.start();
    }
    await amongCalls();
    load.isOver = true;
    await running;

    expect(load.failures).toEqual([]);
    expect(load.executions.size).toBe(load.calls);
    const list = `/v3/devices/${deviceId}/commands/executions`;
    const countOf = async (query: string) => (await session.get(`${list}?limit=0${query}`)).body.total_count;
    await expect.poll(() => countOf("&state.in=NEW,IN_PROGRESS")).toBe(0);
    expect(await countOf("")).toBe(load.calls);
    expect(new Set(device.starts.values())).toEqual(new Set([1]));
    expect(new Set(device.starts.keys())).toEqual(new Set(load.executions.values()));
  },
);
