// A gateway that starts days behind, as one without a battery does, until a time service sets its clock.
import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createClocks } from "#role/clocks.ts";
import { useServer } from "../../support/server.ts";
import { ask, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const DAY = 86_400;
const real = createClocks();
let shiftMs = -5 * DAY * 1000;
const busbar = useServer(["--mqtt-port", "0"], { clocks: { ...real, now: () => instant(real.now() + shiftMs) } });
const kit = useTelemetry(busbar);

test("what seemed to lie ahead is there once the clock is right, and what does lie ahead is not", async () => {
  const device = await kit.connect("timed");
  const now = Math.floor(Date.now() / 1000);
  const question = {
    from: now - DAY,
    to: now + 20 * DAY,
    granularity: "1d",
    aggregation: "count",
    telemetry: [{ device: device.id, attribute: "power" }],
  };
  const count = async () =>
    rowsOf(await ask(busbar.admin, question))
      .split(" ")
      .filter((row) => row !== "").length;
  await device.send(`${now} power=1; ${now + 3 * DAY} power=2`);
  expect(await count()).toBe(0);
  shiftMs = 0;
  await expect.poll(count).toBe(1);
  const { body } = await busbar.admin.get<{ devices: object }>(`/telemetry/v1/now?devices[${device.id}]=power`);
  expect(body.devices).toMatchObject({ [device.id]: { power: { value: 1 } } });
  expect((await busbar.anonymous.get("/readyz")).text).toContain("clock of this machine was set");
});
