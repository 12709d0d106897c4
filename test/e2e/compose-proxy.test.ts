// The proxy of the Compose example of a cloud, as a real nginx: it finds nodes that have got other addresses, goes to the other
// node when one is away, and repeats only what may be done twice. And the codes that the example makes for its gateway.
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { freePort } from "../support/free-port.ts";
import { hasNginx, startNginx } from "../support/nginx.ts";
import { useServer } from "../support/server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (name: string) => readFileSync(join(root, "examples/compose/cloud", name), "utf8");
const cloud = useServer(["--role", "cloud", "--mqtt-port", "off"]);

/** Names every host with these addresses, as the server of Docker does for a name that several containers have. */
async function startNames(addresses: () => readonly string[]): Promise<number> {
  const socket = createSocket("udp4");
  onTestFinished(() => void socket.close());
  socket.on("message", (question, from) => {
    const found = addresses();
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x81_80, 2);
    head.writeUInt16BE(found.length, 6);
    // The name of the question, IPv4, a minute, four bytes.
    const answers = found.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([head, question.subarray(12), ...answers]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return (socket.address() as AddressInfo).port;
}

/** Answers with its address, except for calls that it breaks off: to /break, and to devices of this name. */
async function startNode(address: string, port: number) {
  const heard: string[] = [];
  const server = createServer((call, response) => {
    heard.push(`${call.method} ${call.url}`);
    call.resume();
    if (call.url?.includes("/break")) call.socket.destroy();
    else response.end(address);
  });
  onTestFinished(() => void server.close());
  server.listen(port, address);
  await once(server, "listening");
  return heard;
}

async function ask(url: string, method = "GET", body = "", headers = {}): Promise<string> {
  const call = request(url, { method, headers, rejectUnauthorized: false, agent: false });
  call.end(body);
  const [response] = await once(call, "response");
  return `${response.statusCode} ${(await Array.fromAsync(response, String)).join("")}`;
}

test.runIf(hasNginx)(
  "nginx finds nodes at new addresses, and repeats of what a node has begun only what may be done twice",
  async () => {
    let addresses = ["127.0.0.2"];
    const names = await startNames(() => addresses);
    const port = await freePort();
    const conf = read("nginx.conf")
      .replace("resolver 127.0.0.11", `resolver 127.0.0.1:${names}`)
      .replace("http://nodes:8080", `http://nodes:${port}`);
    const nginx = await startNginx("", () => conf);
    onTestFinished(() => nginx.stop());
    const [second, third] = [await startNode("127.0.0.2", port), await startNode("127.0.0.3", port)];

    expect(await ask(`${nginx.url}/v3/sites?limit=1`)).toBe("200 127.0.0.2");
    expect(second).toEqual(["GET /v3/sites?limit=1"]);
    // Nobody listens at the first of them.
    addresses = ["127.0.0.4", "127.0.0.3"];
    await expect.poll(() => ask(nginx.url)).toBe("200 127.0.0.3");
    for (let round = 0; round < 10; round += 1) expect(await ask(nginx.url, "POST", "{}")).toBe("200 127.0.0.3");

    addresses = ["127.0.0.2", "127.0.0.3"];
    await expect.poll(() => ask(nginx.url)).toBe("200 127.0.0.2");
    const repeats = async (path: string, method: string, headers = {}) => {
      const before = second.length + third.length;
      expect(await ask(`${nginx.url}${path}`, method, "{}", headers)).toMatch(/^502 {"errors":\[{"code":"no_answer",/);
      return second.length + third.length - before;
    };
    const counts = { GET: 2, DELETE: 2, POST: 1, PATCH: 1 };
    for (const [method, count] of Object.entries(counts))
      expect([method, await repeats("/break", method)]).toEqual([method, count]);
    const key = { "Idempotency-Key": "one" };
    const keyed = [
      ["/v3/devices/break/commands/execute", key, 2],
      ["/api/v3/devices/break/commands/executions?x=1", key, 2],
      ["/v3/devices/break/commands/execute", { "Idempotency-Key": "" }, 1],
      ["/v3/devices/break/commands/execute", {}, 1],
      // No other call knows the header.
      ["/v3/devices/break", key, 1],
      ["/v3/devices/break/commands/executions/more", key, 1],
    ] as const;
    for (const [path, headers, count] of keyed)
      expect([path, headers, await repeats(path, "POST", headers)]).toEqual([path, headers, count]);
    expect(await ask(`${nginx.url}/v3/devices/a%20b/commands/execute?x=%41`, "POST", "{}", key)).toMatch(/^200 /);
    expect(await ask(`${nginx.url}/v3/devices/a/commands/execute?x=%41`, "POST", "{}", key)).toMatch(/^200 /);
    const paths = [...second, ...third].filter((line) => line.includes("x=%41"));
    expect(paths.toSorted()).toEqual([
      "POST /v3/devices/a%20b/commands/execute?x=%41",
      "POST /v3/devices/a/commands/execute?x=%41",
    ]);
  },
);

test.runIf(existsSync("/bin/sh"))("a code is made at each start until the gateway has joined", async () => {
  const { services } = parse(read("compose.yaml"), { merge: true });
  const [command] = services["join-code"].command;
  const cwd = tempFolder();
  const env = { PATH: `${root}bin:${process.env["PATH"]}`, BUSBAR_URL: cloud.url, BUSBAR_TOKEN: cloud.adminToken };
  const start = async () => {
    await promisify(execFile)("sh", ["-ec", command.replaceAll("$$", "$")], { cwd, env });
    return readFileSync(join(cwd, "code"), "utf8").trim();
  };
  const codes = [await start(), await start()];
  expect(codes[0]).not.toBe(codes[1]);
  const joined = { code: codes[1], name: "gateway", version: "1" };
  const { body } = await cloud.anonymous.post<{ gateway_id: string }>("/v3/gateways/join", joined);
  expect(await start()).toBe(codes[1]);
  await cloud.admin.delete(`/v3/gateways/${body.gateway_id}`);
  expect(await start()).not.toBe(codes[1]);
});
