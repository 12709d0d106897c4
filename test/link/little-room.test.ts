// A gateway that may keep little telemetry, cut off from its cloud. Both are processes of their own. The oldest history goes
// first, both sides report how much the cloud never gets, and no command and no response is lost.
import { expect, test } from "vitest";
import { startVictim } from "../chaos/victim.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG } from "../support/rounds.ts";
import { createSession, type Session } from "../support/session.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { differences, readSide } from "./compare-records.ts";
import { openSiteGateway } from "./site-gateway.ts";

const PATIENCE = { timeout: 240_000, interval: 200 };
const FLAGS = ["--commands-response-timeout", "10m"];
const DAY_S = 86_400;
const DAYS = 8;
const STEP_S = 3;
/** Of 8 bytes each, as random numbers cannot be packed: twice what the gateway may keep. */
const POINTS_A_DAY = DAY_S / STEP_S;
const COMMANDS = 5;
const UNCHANGED_TIMES = 15;

test.runIf(IS_LONG)(
  "without room and without the line the oldest history goes, counted on both sides, and commands stay",
  async () => {
    const cloud = await startVictim(tempFolder(), undefined, ["--role", "cloud", "--mqtt-port", "off", ...FLAGS]);
    if (cloud === undefined) throw new Error("without a failpoint nothing kills the program");
    const above = createSession(cloud.url, cloud.token);
    const gateway = await openSiteGateway(1, {
      cloud: async () => above,
      targets: () => [cloud.url],
      modbus: await startModbusServer(),
      flags: [...FLAGS, "--telemetry-max-size", "1MB"],
    });
    const { devices, line } = gateway;
    const own = () => {
      const session = gateway.session();
      if (session === undefined) throw new Error("the gateway runs");
      return session;
    };
    const uplink = async () => (await own().get("/v3/uplink")).body;
    const order = async (session: Session) => {
      const path = `/v3/devices/${devices.mqtt}/commands/executions`;
      const answer = await session.post(path, { name: "start", arguments: { power: 1 } });
      expect(answer.status).toBe(200);
      return answer.body.execution_id as string;
    };
    await expect.poll(async () => (await above.get(`/v3/devices/${devices.mqtt}`)).status, PATIENCE).toBe(200);
    await expect.poll(async () => (await uplink()).telemetry.history_before, PATIENCE).toBe(null);

    line.cut();
    await expect.poll(async () => (await uplink()).connected, PATIENCE).toBe(false);
    const firstDay = Math.floor(Date.now() / 1_000 / DAY_S) - DAYS - 1;
    const history = madeHistory(firstDay * DAY_S);
    const ordered: string[] = [];
    for (let n = 0; n < COMMANDS; n++) ordered.push(await order(own()), await order(above));
    const csv = `ts,telemetry=power\n${history.map((row) => row.join(",")).join("\n")}\n`;
    const loaded = await own().post(`/v3/devices/${devices.mqtt}/telemetry/import`, csv, {
      "Content-Type": "text/csv",
    });
    expect(loaded.status, JSON.stringify(loaded.body)).toBe(200);
    await expect
      .poll(
        unchangedLoss(async () => (await uplink()).dropped.expired),
        PATIENCE,
      )
      .toBeGreaterThan(0);
    for (let n = 0; n < COMMANDS; n++) ordered.push(await order(own()), await order(above));

    line.heal();
    // What was counted is not forgotten. A gateway that starts connects at once.
    await gateway.kill();
    await gateway.start();
    const lacks = async () => {
      const { connected, telemetry } = await uplink();
      return { connected, hours: telemetry.hours, messages: telemetry.messages };
    };
    await expect.poll(lacks, PATIENCE).toEqual({ connected: true, hours: 0, messages: 0 });
    const seen = { hasStarted: ({ id }: { id: string }) => gateway.device.starts.has(id), equalLogs: new Map() };
    const compare = async () => differences(await readSide(own(), devices), await readSide(above, devices), seen);
    await expect.poll(compare, PATIENCE).toEqual([]);

    const { executions, points } = await readSide(above, devices);
    expect(ordered.map((id) => executions.get(id)?.state)).toEqual(ordered.map(() => "SUCCESS"));
    expect([...gateway.device.starts.values()]).toEqual(ordered.map(() => 1));
    const kept = rowsOf(points).filter(([at]) => at < (firstDay + DAYS) * DAY_S);
    const lostDays = DAYS - kept.length / POINTS_A_DAY;
    expect(lostDays).toBeGreaterThan(0);
    expect(lostDays).toBeLessThan(DAYS);
    expect(kept).toEqual(history.slice(lostDays * POINTS_A_DAY));
    expect((await uplink()).dropped).toEqual({ expired: lostDays * 24, unreadable: 0 });
    const reported = async () => (await above.get("/v3/gateways")).body.gateways[0]?.report.dropped;
    await expect.poll(reported, PATIENCE).toEqual({ expired: lostDays * 24, unreadable: 0 });
    expect((await above.get("/v3/gateways/overview")).body.with_loss).toBe(1);
  },
);

/** Zero while more is deleted: several days go one after the other. */
function unchangedLoss(read: () => Promise<number>): () => Promise<number> {
  let [last, times] = [0, 0];
  return async () => {
    const now = await read();
    times = now === last ? times + 1 : 0;
    last = now;
    return times < UNCHANGED_TIMES ? 0 : now;
  };
}

function madeHistory(from: number): readonly (readonly [at: number, power: number])[] {
  const random = randomFrom(1);
  return Array.from({ length: DAYS * POINTS_A_DAY }, (_, n) => [from + n * STEP_S, random() + random() / 2 ** 26]);
}

function rowsOf(csv: string): readonly (readonly [at: number, power: number])[] {
  const [head = "", ...rows] = csv.trimEnd().split("\n");
  const column = head.split(",").findIndex((name) => name.includes("power"));
  return rows.map((row) => {
    const cells = row.split(",");
    return [Number(cells[0]), Number(cells[column])];
  });
}
