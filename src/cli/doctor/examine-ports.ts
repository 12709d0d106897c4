// The ports of this machine that the settings name: free for Busbar while it does not run, and answering while it does.
import { connect, createServer } from "node:net";
import type { Config } from "#config";
import { type Finding, failed, ok } from "./finding.ts";

const PATIENCE_MS = 5_000;

interface Port {
  readonly port: number;
  readonly setting: string;
}

export async function examinePorts(config: Config, isRunning: boolean): Promise<readonly Finding[]> {
  const { host, mqtt } = config;
  const embedded = mqtt.url === undefined;
  const wanted = [
    { port: config.port, setting: "port" },
    ...(embedded ? [{ port: mqtt.port, setting: "mqtt.port" }] : []),
    ...(embedded ? [{ port: mqtt.tlsPort, setting: "mqtt.tls_port" }] : []),
  ].filter((one): one is Port => one.port !== "off" && one.port !== 0);
  const check = isRunning ? examineOpen : examineFree;
  const findings = await Promise.all(wanted.map((one) => check(host, one)));
  const wrong = findings.filter((one) => one !== undefined);
  const numbers = wanted.map(({ port }) => port).join(", ");
  return wrong.length > 0 ? wrong : [ok("ports", `${numbers} ${isRunning ? "accept connections" : "are free"}`)];
}

async function examineOpen(host: string, { port, setting }: Port): Promise<Finding | undefined> {
  const place = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const problem = await reachPort(place, port);
  if (problem === undefined) return undefined;
  return failed("ports", `${place}:${port} (${setting}): ${problem}`, "restart Busbar, and look at its log");
}

async function examineFree(host: string, { port, setting }: Port): Promise<Finding | undefined> {
  const server = createServer();
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(port, host, () => resolve(undefined));
  });
  if (problem === undefined) {
    await new Promise((resolve) => server.close(resolve));
    return undefined;
  }
  const advice = `choose another with ${setting}`;
  if (problem.code === "EADDRINUSE")
    return failed("ports", `another program uses ${host}:${port} (${setting})`, `end that program, or ${advice}`);
  if (problem.code === "EACCES")
    return failed(
      "ports",
      `this user may not use ${port} (${setting})`,
      `${advice} above 1023, or put a proxy in front`,
    );
  return failed(
    "ports",
    `${host}:${port} (${setting}): ${problem.message}`,
    "correct host, or the settings of the network",
  );
}

/** What is wrong with the connection; undefined when something accepts it. The server's log says what that is. */
export function reachPort(host: string, port: number): Promise<string | undefined> {
  const socket = connect({ host, port });
  const ended = new Promise<string | undefined>((resolve) => {
    socket.setTimeout(PATIENCE_MS, () => resolve("no answer"));
    socket.once("connect", () => resolve(undefined));
    socket.once("error", (error) => resolve(error.message));
    socket.once("close", () => resolve("closed"));
  });
  return ended.finally(() => socket.destroy());
}
