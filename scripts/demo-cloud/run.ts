// Starts PostgreSQL, two nodes of a cloud and the demo gateway, joins them, and cuts and heals the line on request: by
// keys of the terminal, or by calls to an address of this machine. Everything ends with Ctrl-C, and nothing stays.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../../test/support/postgres.ts";
import { openLine } from "./line.ts";
import { type Served, serve } from "./serve.ts";

const FIRST_PORT = 8080;
const HIGHEST_FIRST_PORT = 65_535 - 4;
const first = firstPort();
/** The gateway has the first port, the nodes the next two, then come the line and the switch. With 0 all are free ones. */
const portOf = (place: number) => String(first === 0 ? 0 : first + place);
const token = randomBytes(24).toString("hex");
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = mkdtempSync(join(tmpdir(), "busbar-demo-cloud-"));
chmodSync(folder, 0o755);
const stops: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
let stopping: Promise<void> | undefined;

/** Whatever was started ends, in reverse order, also when the start failed half-way. */
function stopAll(): Promise<void> {
  stopping ??= (async () => {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    say("stopping");
    for (const stop of stops.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        console.error(error);
      }
    }
  })();
  return stopping;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => void stopAll().then(() => process.exit(0)));
}
try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await stopAll();
  process.exit(1);
}

/** The gateway has it; four more follow. */
function firstPort(): number {
  try {
    const { values } = parseArgs({ options: { port: { type: "string", default: String(FIRST_PORT) } } });
    const port = Number(values.port);
    if (Number.isInteger(port) && port >= 0 && port <= HIGHEST_FIRST_PORT) return port;
    console.error(`--port must be a whole number from 0 to ${HIGHEST_FIRST_PORT}, not "${values.port}"`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error("npm run demo:cloud -- --port 9000 chooses the first of five ports; there is nothing else to choose");
  }
  return process.exit(2);
}

async function startNode(name: string, port: string, database: string): Promise<Served> {
  const data = join(folder, name);
  mkdirSync(data, { mode: 0o700 });
  // All nodes of a cloud have one key.
  if (name !== "node-1") copyFileSync(join(folder, "node-1", "seal.key"), join(data, "seal.key"));
  const flags = ["--role", "cloud", "--data", data, "--port", port, "--mqtt-port", "off"];
  const env = { BUSBAR_DATABASE_URL: database };
  const node = await serve({ token, log: join(folder, `${name}.log`), flags, env });
  stops.push(node.stop);
  return node;
}

async function run(): Promise<void> {
  say("starting PostgreSQL, two nodes of a cloud, and the demo gateway");
  const postgres = await startPostgres({ fsync: true, parent: folder });
  stops.push(() => postgres.stop());
  const database = await postgres.database("busbar");
  const nodes = [await startNode("node-1", portOf(1), database)];
  nodes.push(await startNode("node-2", portOf(2), database));
  const [cloud] = nodes as [Served];
  const line = await openLine(Number(portOf(3)), () => nodes.filter((one) => one.isRunning).map((one) => one.url));
  stops.push(line.close);
  const { code } = await cloud.call<{ code: string }>("POST", "/v3/gateways/join_codes", { name: "Demo gateway" });
  const flags = ["--demo", "--data", join(folder, "gateway"), "--port", portOf(0), "--mqtt-port", "off"];
  const env = { BUSBAR_CLOUD_URL: line.url, BUSBAR_CLOUD_TOKEN: code };
  const gateway = await serve({ token, log: join(folder, "gateway.log"), flags, env });
  stops.push(gateway.stop);

  const turn = (isCut: boolean) => {
    if (isCut) line.cut();
    else line.heal();
    say(isCut ? "the line is cut" : "the line is whole again; the gateway connects within a moment");
  };
  const control = await openSwitch(Number(portOf(4)), async (path) => {
    if (path === "/cut") turn(true);
    if (path === "/heal") turn(false);
    return { line: line.isCut ? "cut" : "whole", uplink: await gateway.call("GET", "/v3/uplink") };
  });
  stops.push(control.close);
  listenToKeys((key) => {
    if (key === "c") turn(!line.isCut);
    else if (key === "s") void printState().catch((error: unknown) => console.error(error));
    else if (key === "q" || key === CTRL_C) void stopAll().then(() => process.exit(0));
  });

  async function printState(): Promise<void> {
    const uplink = await gateway.call<{ connected: boolean; backlog: number; telemetry: object }>("GET", "/v3/uplink");
    const { connected, backlog, telemetry } = uplink;
    say(`gateway: ${JSON.stringify({ connected, backlog, telemetry })}`);
    const fleet = await cloud.call<object>("GET", "/v3/gateways/overview");
    say(`cloud: ${JSON.stringify(fleet)}`);
  }

  say(
    [
      "",
      "  A cloud of two nodes, and a gateway with the demo site that has joined it, are ready",
      "",
      `  Gateway   ${await gateway.signInLink()}`,
      `  Cloud     ${await cloud.signInLink()}`,
      `  Node 2    ${nodes[1]?.url}/`,
      "            each link signs in once, within 10 minutes",
      `  Token     ${token}`,
      `  Logs      ${folder}/*.log`,
      "",
      ...(process.stdin.isTTY ? ["  Keys      c cuts the line, and heals it; s prints the state; q ends"] : []),
      `  Or        curl -X POST ${control.url}/cut    cuts the line`,
      `            curl -X POST ${control.url}/heal   heals it`,
      `            curl ${control.url}/               returns the state`,
      "  More      docs/demo.md#a-cloud",
      "",
      "  Stop with Ctrl-C.",
      "",
    ].join("\n"),
  );
}

/** Answers only programs of this machine: a page in a browser names its origin with each such call. */
async function openSwitch(
  port: number,
  answer: (path: string | undefined) => Promise<object>,
): Promise<{ readonly url: string; close(): void }> {
  const respond = async (request: IncomingMessage): Promise<readonly [number, object]> => {
    const isKnown = request.method === "GET" ? request.url === "/" : ["/cut", "/heal"].includes(request.url ?? "");
    if (request.headers.origin !== undefined || !isKnown)
      return [404, { errors: [{ message: "POST /cut, POST /heal or GET /" }] }];
    return [200, await answer(request.url)];
  };
  const server = createServer((request, response) => {
    respond(request)
      .catch((error: unknown) => [503, { errors: [{ message: String(error) }] }] as const)
      .then(([status, body]) => response.writeHead(status).end(`${JSON.stringify(body)}\n`))
      .catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => void server.close() };
}

/** Ctrl-C as a key, because the terminal hands keys over one by one. */
const CTRL_C = "\u0003";

function listenToKeys(listener: (key: string) => void): void {
  if (!process.stdin.isTTY) return;
  process.stdin.setRawMode(true);
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (keys) => {
    for (const key of String(keys)) listener(key);
  });
}
