// Long answers: they begin at once, wait for slow readers, and end when the reader has gone.
import { request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { memoryInUse } from "../../support/memory-in-use.ts";
import { useServer } from "../../support/server.ts";
import { ask, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send("0 power=123456.789 note=something");
});

/** A million rows of ten columns, about 120 MB. */
const LONG = {
  from: 0,
  to: 1_000_000,
  granularity: "1s",
  aggregation: "last",
  gap_filling: { method: "locf" },
  telemetry: [{ device: "meter", attribute: Array(10).fill("power") }],
};
const ROW = `,123456.789`.repeat(10);

interface Reading {
  /** The next bytes, or undefined at the end. */
  next(): Promise<Buffer | undefined>;
  hangUp(): void;
}

/** Reads only when asked to. */
function open(question: object): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const headers = { "X-Service-Auth-Token": busbar.adminToken };
    const sent = request(`${busbar.url}/telemetry/v1/timeseries`, { method: "POST", headers }, (answer) => {
      const parts = answer[Symbol.asyncIterator]();
      resolve({
        next: async () => (await parts.next()).value as Buffer | undefined,
        hangUp: () => answer.destroy(),
      });
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(question));
  });
}

test("the first rows are there before the last ones are made", async () => {
  const reading = await open(LONG);
  let text = "";
  while (!text.includes(`\n1,`)) text += await reading.next();
  expect(text).toContain(`\n0${ROW}\n`);
  // Far more than any buffer between here and there holds is still to come, while another question is answered.
  const { telemetry } = LONG;
  expect(rowsOf(await ask(busbar.admin, { from: 0, to: 60, aggregation: "last", telemetry }))).toBe(`0${ROW}`);
  let rest = 0;
  for (let part = await reading.next(); part !== undefined; part = await reading.next()) rest += part.length;
  expect(rest + text.length).toBeGreaterThan(110_000_000);
});

test("a long answer takes no more memory than a short one, however slowly it is read", async () => {
  const reading = await open(LONG);
  await reading.next();
  const before = memoryInUse().arrayBuffers;
  let size = 0;
  let most = 0;
  let parts = 0;
  for (let part = await reading.next(); part !== undefined; part = await reading.next()) {
    size += part.length;
    if (++parts % 100 === 0) most = Math.max(most, memoryInUse().arrayBuffers - before);
    // The reader takes its time, so that a server that does not wait for it would pile up what is left.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(size).toBeGreaterThan(110_000_000);
  expect(parts).toBeGreaterThan(200);
  expect(most).toBeLessThan(size / 3);
});

test("readers that hang up leave their place to others", async () => {
  // More than all reading threads together take.
  for (let i = 0; i < 150; i++) {
    const reading = await open(LONG);
    await reading.next();
    reading.hangUp();
  }
  const { telemetry } = LONG;
  expect(rowsOf(await ask(busbar.admin, { from: 0, to: 60, aggregation: "last", telemetry }))).toBe(`0${ROW}`);
});

test("more answers at once than there is room for are refused with 503 before they begin, and room comes back", async () => {
  const readings = await Promise.all(Array.from({ length: 128 }, () => open(LONG)));
  const refused = await ask(busbar.admin, LONG);
  expect([refused.status, refused.errors[0]?.code]).toEqual([503, "overloaded"]);
  for (const reading of readings) reading.hangUp();
  const short = { from: 0, to: 60, aggregation: "last", telemetry: LONG.telemetry };
  await expect.poll(async () => (await ask(busbar.admin, short)).status).toBe(200);
});
