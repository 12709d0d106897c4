// A disk that is really full, with the log on it as well: a small file system, where mounting is allowed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { commandManifest } from "../support/command-site.ts";
import { PATIENT } from "../support/patient.ts";
import { IS_LONG } from "../support/rounds.ts";
import { canMount, mountSmallDisk } from "../support/small-disk.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));
const TOKEN = "a-token-for-a-full-disk-0123456789abcdef";

/** Asks again until it is so. The machine may be busy. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENT.timeout;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function startOn(folder: string, ...flags: readonly string[]) {
  const data = join(folder, "data");
  const logFile = join(folder, "log");
  const log = openSync(logFile, "a");
  const child = spawn(
    PROGRAM,
    [
      "serve",
      "--data",
      data,
      "--port",
      "0",
      "--mqtt-port",
      "off",
      "--link-allow-local",
      "--log-format",
      "json",
      ...flags,
    ],
    {
      cwd: "/",
      env: { ...process.env, BUSBAR_ADMIN_TOKEN: TOKEN },
      stdio: ["ignore", "pipe", log],
    },
  );
  closeSync(log);
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  child.stdout?.on("data", (chunk) => {
    out += String(chunk);
  });
  const ended = once(child, "exit").then(([code, signal]) => code ?? signal);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await until("it is ready", () => isOver || /API +http/.test(out));
  if (isOver) throw new Error(`it ended: ${out}\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
  const url = /API +(http\S+)\/docs/.exec(out)?.[1] ?? "";
  const call = async (method: string, path: string, json?: unknown, bytes?: string) => {
    const response = await fetch(url + path, {
      method,
      headers: { "X-Service-Auth-Token": TOKEN },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(bytes !== undefined && { body: bytes }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { url, data, call, ended, child };
}

/** Takes every byte that is left. */
function fill(file: string): void {
  const handle = openSync(file, "a");
  try {
    for (let size = 1024 * 1024; size >= 1; size = size === 1 ? 0 : Math.floor(size / 4)) {
      try {
        for (;;) writeSync(handle, Buffer.alloc(size));
      } catch {
        // Smaller pieces may still fit.
      }
    }
  } finally {
    closeSync(handle);
  }
}

type Running = Awaited<ReturnType<typeof startOn>>;

/** The parts that a service calls degraded. */
const degraded = async (running: Running): Promise<readonly string[]> =>
  ((await running.call("GET", "/readyz")).body.degraded ?? []).map(({ part }: { part: string }) => part);

/** Fills the disk of a service until the service has noticed. Whatever is freed meanwhile is taken, too. */
async function keepFull(filler: string, running: Running): Promise<void> {
  await until("the full disk is noticed", async () => {
    fill(filler);
    return (await degraded(running)).includes("storage");
  });
  fill(filler);
}

/** A gateway with a device and the cloud that it has joined; then the disk of one of them, at `folder`, is filled. */
async function joinWithFullDisk(side: "gateway" | "cloud") {
  const folder = mountSmallDisk("64m");
  const otherFolder = mkdtempSync(join(tmpdir(), "busbar-full-disk-other-"));
  onTestFinished(() => rmSync(otherFolder, { recursive: true, force: true }));
  const gateway = await startOn(side === "gateway" ? folder : otherFolder);
  const cloud = await startOn(side === "cloud" ? folder : otherFolder, "--role", "cloud");
  const site = (await gateway.call("POST", "/v3/sites", { name: "Full" })).body.site.id;
  const uploaded = await gateway.call("POST", "/v3/blueprints/upload", undefined, commandManifest("Full"));
  const device = await gateway.call("POST", "/v3/provisioning/standalone", {
    name: "Full",
    site_id: site,
    blueprint_id: uploaded.body.blueprint.id,
  });
  const executions = `/v3/devices/${device.body.device_id}/commands/executions`;
  const { code } = (await cloud.call("POST", "/v3/gateways/join_codes", {})).body;
  await gateway.call("POST", "/v3/uplink", { url: cloud.url, code });
  await until("the cloud knows the device", async () => (await cloud.call("GET", executions)).status === 200);

  const full = side === "gateway" ? gateway : cloud;
  // The log of the records takes 4 MiB before it is used again from its beginning. The reserve grows by 1 MiB a second.
  const reserve = join(full.data, "reserve");
  await until("there is a reserve", () => (statSync(reserve, { throwIfNoEntry: false })?.size ?? 0) >= 8 * 1024 * 1024);
  await keepFull(join(folder, "filler"), full);

  return {
    folder,
    gateway,
    cloud,
    uplink: async (running = gateway) => (await running.call("GET", "/v3/uplink")).body,
    /** Commands of the cloud, one a second, until the gateway has accepted all of them. */
    async orderMany(count: number): Promise<void> {
      const ordered: string[] = [];
      for (let at = 0; at < count; at++) {
        ordered.push((await cloud.call("POST", executions, { name: "stop" })).body.execution_id);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      await until("the gateway has accepted all commands", async () => {
        const { body } = await gateway.call("GET", executions);
        const accepted = new Set(body.executions.map(({ id }: { id: string }) => id));
        return ordered.every((id) => accepted.has(id));
      });
    },
  };
}

if (canMount()) {
  test("on a full disk commands go on, the rest is refused, a stop and a start work, and room is used by itself", async () => {
    const folder = mountSmallDisk("64m");
    const filler = join(folder, "filler");
    const first = await startOn(folder);
    const site = (await first.call("POST", "/v3/sites", { name: "Full" })).body.site.id;
    let blueprint = "";
    // On a busy machine reading an upload may take too long.
    await until("the blueprint is there", async () => {
      const uploaded = await first.call("POST", "/v3/blueprints/upload", undefined, commandManifest("Full"));
      blueprint = uploaded.body.blueprint?.id ?? "";
      return blueprint !== "";
    });
    const device = await first.call("POST", "/v3/provisioning/standalone", {
      name: "Full",
      site_id: site,
      blueprint_id: blueprint,
    });
    const executions = `/v3/devices/${device.body.device_id}/commands/executions`;
    const token = (await first.call("POST", "/v3/tokens", { name: "lost", level: "user" })).body.id;
    const reserve = join(first.data, "reserve");
    await until(
      "there is a reserve",
      () => (statSync(reserve, { throwIfNoEntry: false })?.size ?? 0) >= 4 * 1024 * 1024,
    );
    await keepFull(filler, first);
    for (let at = 0; at < 30; at++) {
      expect((await first.call("POST", executions, { name: "stop" })).status).toBe(200);
    }
    expect((await first.call("DELETE", `/v3/tokens/${token}`)).status).toBe(200);
    const refused = await first.call("POST", "/v3/sites", { name: "One more" });
    expect([refused.status, refused.body.errors[0].code]).toEqual([503, "storage_full"]);
    expect((await first.call("GET", executions)).body.total_count).toBe(30);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);

    const second = await startOn(folder);
    expect((await second.call("GET", executions)).body.total_count).toBe(30);
    expect(await degraded(second)).toContain("storage");
    rmSync(filler);
    await until("the room is used", async () => !(await degraded(second)).includes("storage"));
    expect((await second.call("POST", "/v3/sites", { name: "Room again" })).status).toBe(200);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  if (IS_LONG) {
    test("a gateway with a full disk keeps its link: commands of the cloud are accepted, and only history waits", async () => {
      const { folder, gateway, cloud, orderMany, uplink } = await joinWithFullDisk("gateway");
      // Longer than it takes until the gateway notes what the cloud has confirmed.
      const { since } = await uplink();
      await orderMany(15);
      expect(await uplink()).toMatchObject({ connected: true, since });
      gateway.child.kill("SIGTERM");
      expect(await gateway.ended).toBe(0);
      // A connection begins on a full disk, too, and lasts.
      const again = await startOn(folder);
      await until("it is connected", async () => (await uplink(again)).connected);
      const began = await uplink(again);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(await uplink(again)).toMatchObject({ connected: true, since: began.since });
      again.child.kill("SIGTERM");
      cloud.child.kill("SIGTERM");
      expect([await again.ended, await cloud.ended]).toEqual([0, 0]);
    });

    test("a cloud with a full disk still runs commands through its gateways", async () => {
      const { gateway, cloud, orderMany, uplink } = await joinWithFullDisk("cloud");
      // Longer than it takes until the gateway reports its own state as telemetry.
      const { since } = await uplink();
      await orderMany(20);
      expect(await uplink()).toMatchObject({ connected: true, since });
      gateway.child.kill("SIGTERM");
      cloud.child.kill("SIGTERM");
      expect([await gateway.ended, await cloud.ended]).toEqual([0, 0]);
    });
  }
} else {
  test("a full disk is tested where mounting is allowed; elsewhere disk-trouble.test.ts limits file sizes", () => {
    expect(canMount()).toBe(false);
  });
}
