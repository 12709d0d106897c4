// The clock of the gateway is set while it runs, by days, forward and back. Whatever it says, what was acknowledged to a device is there.
import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createClocks } from "#role/clocks.ts";
import { useServer } from "../../support/server.ts";
import { ask, type Connected, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const DAY = 86_400;
const real = createClocks();
let shiftMs = 0;
const busbar = useServer(["--mqtt-port", "0"], {
  clocks: { ...real, now: () => instant(real.now() + shiftMs) },
});
const kit = useTelemetry(busbar);
const seconds = () => Math.floor(Date.now() / 1000);

/** The wall clock of the gateway is so many days off, and the gateway has noticed. */
async function setClock(days: number): Promise<void> {
  shiftMs = days * DAY * 1000;
  await expect.poll(async () => (await busbar.anonymous.get("/readyz")).text).toContain('"clock"');
}

async function nowOf({ id }: Connected): Promise<unknown> {
  const path = `/telemetry/v1/now?devices[${id}]=power`;
  const { body } = await busbar.admin.get<{ devices: Record<string, { power?: { value: unknown } }> }>(path);
  return body.devices[id]?.power?.value;
}

async function sumOf({ id }: Connected, from: number, to: number): Promise<number> {
  const telemetry = [{ device: id, attribute: "power" }];
  const rows = rowsOf(await ask(busbar.admin, { from, to, granularity: "1d", aggregation: "sum", telemetry }));
  return rows.split(" ").reduce((sum, row) => sum + Number(row.split(",")[1]), 0);
}

async function logOf({ id }: Connected): Promise<string> {
  return (await busbar.admin.get(`/v3/devices/${id}/logs?limit=100`)).text;
}

test("points without a time are kept and are what counts now, wherever the clock is set", async () => {
  const device = await kit.connect("untimed");
  let [sent, sum] = [0, 0];
  const send = async () => {
    sent++;
    sum += sent;
    await device.device.sendTelemetry({ power: sent });
    expect(await nowOf(device)).toBe(sent);
  };
  const before = seconds();
  for (const days of [0, 3, 0, -3, 0, 40, -40, 0]) {
    if (days !== 0 || shiftMs !== 0) await setClock(days);
    for (let i = 0; i < 3; i++) await send();
  }
  expect(await sumOf(device, before - 60 * DAY, before + 60 * DAY)).toBe(sum);
  expect(JSON.parse(await logOf(device))).toMatchObject({ logs: [] });
  // The value that counts is still the last to arrive after a start, as far as a day shows.
  await busbar.restart();
  expect(await nowOf(device)).toBe(sent);
});

test("a gateway whose clock goes back by days takes rightly timed points", async () => {
  const device = await kit.connect("timed");
  await setClock(-3);
  await device.send(`${seconds()} power=5`);
  expect(await sumOf(device, seconds() - 60, seconds() + 60)).toBe(5);
  expect(JSON.parse(await logOf(device))).toMatchObject({ logs: [] });
});
