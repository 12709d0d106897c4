// `npm run demo:cloud`: the line that can be cut always, and the whole demo in the long run.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLine } from "../../scripts/demo-cloud/line.ts";
import { serve } from "../../scripts/demo-cloud/serve.ts";
import { IS_LONG } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";

test("the line leads to the first node that answers, until it is cut, and again when it is healed", async () => {
  const node = createServer((socket) => socket.pipe(socket));
  node.listen(0, "127.0.0.1");
  await once(node, "listening");
  onTestFinished(() => void node.close());
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const ended = createServer().listen(0, "127.0.0.1");
  await once(ended, "listening");
  const gone = `http://127.0.0.1:${(ended.address() as AddressInfo).port}`;
  ended.close();
  await once(ended, "close");
  const line = await openLine(0, () => [gone, url]);
  onTestFinished(line.close);
  const reach = () => {
    const socket = connect(Number(new URL(line.url).port), "127.0.0.1");
    socket.on("error", () => {});
    return socket;
  };
  const first = reach();
  first.write("one");
  expect(String((await once(first, "data"))[0])).toBe("one");
  line.cut();
  await once(first, "close");
  await once(reach(), "close");
  line.heal();
  const second = reach();
  second.write("two");
  expect(String((await once(second, "data"))[0])).toBe("two");
  second.destroy();
});

test("a wrong port is refused with what would be right, before anything starts", () => {
  const program = fileURLToPath(new URL("../../scripts/demo-cloud/run.ts", import.meta.url));
  const run = (...words: readonly string[]) => spawnSync(process.execPath, [program, ...words], { encoding: "utf8" });
  const wrong = run("--port", "65532");
  expect([wrong.status, wrong.stdout, wrong.stderr]).toEqual([
    2,
    "",
    '--port must be a whole number from 0 to 65531, not "65532"\n',
  ]);
  const unknown = run("--ports", "1");
  expect([unknown.status, unknown.stdout]).toEqual([2, ""]);
  expect(unknown.stderr).toContain("npm run demo:cloud -- --port 9000");
});

test("a process that does not start is reported with its last words", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const folder = tempFolder();
  const flags = ["--data", join(folder, "data"), "--port", String(port), "--mqtt-port", "off"];
  await expect(serve({ token: "t".repeat(32), log: join(folder, "log"), flags })).rejects.toThrow(
    `port ${port} is in use`,
  );
});

if (IS_LONG) {
  test("the demo of a cloud starts, its line is cut and healed by calls, and it stops without a trace", async () => {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const child = spawn(process.execPath, ["scripts/demo-cloud/run.ts", "--port", "0"], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes("Stop with Ctrl-C")) break;
    }
    const text = lines.join("\n");
    const control = /curl -X POST (\S+)\/cut/.exec(text)?.[1] ?? "";
    const [, folder = ""] = /Logs +(\S+)\/\*/.exec(text) ?? [];
    expect(text.match(/\/sign-in#code=/g)).toHaveLength(2);
    const call = async (path: string, method = "GET") =>
      (await (await fetch(control + path, { method })).json()) as { line: string; uplink: { connected: boolean } };
    const isConnected = (expected: boolean) =>
      vi.waitFor(async () => expect((await call("/")).uplink.connected).toBe(expected), { timeout: 60_000 });
    await isConnected(true);
    await hasHistoryOnce(text);
    expect((await call("/cut", "POST")).line).toBe("cut");
    await isConnected(false);
    expect((await call("/heal", "POST")).line).toBe("whole");
    await isConnected(true);
    const page = await fetch(`${control}/cut`, { method: "POST", headers: { origin: "https://elsewhere.example" } });
    expect(page.status).toBe(404);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect((await exit)[0]).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });
}

/** The cloud gets the demo's week in about as many values as the gateway has, and neither side is degraded. */
async function hasHistoryOnce(text: string): Promise<void> {
  const urlOf = (name: string) => new RegExp(`${name} +(http://[^/]+)/`).exec(text)?.[1] ?? "";
  const token = /Token +(\S+)/.exec(text)?.[1] ?? "";
  const get = async (url: string, path: string) =>
    await (await fetch(url + path, { headers: { "X-Service-Auth-Token": token } })).json();
  const [gateway, cloud] = [urlOf("Gateway"), urlOf("Cloud")];
  await vi.waitFor(
    async () => {
      expect(await get(gateway, "/readyz")).toEqual({ status: "ok" });
      const { telemetry } = (await get(gateway, "/v3/uplink")) as { telemetry: object };
      expect(telemetry).toMatchObject({ hours: 0, history_before: null });
    },
    { timeout: 200_000, interval: 1_000 },
  );
  expect(await get(cloud, "/readyz")).toEqual({ status: "ok" });
  const kept = await Promise.all(
    [cloud, urlOf("Node 2")].map(async (node) => {
      const { system } = (await get(node, "/v3/system")) as { system: { telemetry_values: { kept: number } } };
      return system.telemetry_values.kept;
    }),
  );
  const total = kept.reduce((sum, one) => sum + one, 0);
  // The history has 1.8 million values. Days that are uploaded while they are still made are uploaded again.
  expect(total).toBeGreaterThan(1_000_000);
  expect(total).toBeLessThan(6_000_000);
}
