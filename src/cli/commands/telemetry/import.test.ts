import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type FakeAnswer, startFakeBusbar } from "../../../../test/support/fake-busbar.ts";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

afterEach(() => vi.useRealTimers());

const ok = { body: { rows: 1, points: 1, problem_count: 0, problems: [] } };
const busy = { status: 503, body: { errors: [{ code: "overloaded", message: "too busy" }] } };
const gone = { status: 400, body: { errors: [{ code: "invalid_body", message: "nonsense" }] } };

/** Imports two pieces; the server answers one after the other with these. */
async function importTwo(answers: readonly FakeAnswer[]) {
  let next = 0;
  const server = await startFakeBusbar({
    "POST /v3/devices/meter/telemetry/import": () => answers[next++] ?? ok,
  });
  try {
    return await withFolder(async (folder) => {
      const file = join(folder, "points.csv");
      const row = `1,${"x".repeat(999)}\n`;
      writeFileSync(file, `ts,telemetry=note\n${row.repeat(1_000)}`);
      const env = { BUSBAR_URL: server.url, BUSBAR_TOKEN: "t" };
      return { ...(await runBusbar(["telemetry", "import", file, "-d", "meter"], { env })), asked: next };
    });
  } finally {
    await server.stop();
  }
}

test("a piece that finds the server busy is sent again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true, advanceTimeDelta: 500 });
  const { code, out, err, asked } = await importTwo([ok, busy, busy, ok]);
  expect([code, out, asked]).toEqual([0, "imported 2 points in 2 rows\n", 4]);
  expect(err).toBe("too busy; trying again in 1 s\ntoo busy; trying again in 2 s\n");
});

test("an import that is refused half-way says what is stored already", async () => {
  const { code, err } = await importTwo([ok, gone]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^broken off at line \d{3}: the 1 points before it are stored. Doing it again is harmless.\nbusbar: nonsense\n/,
  );
});

test("--device takes an export of another device, and refuses columns of several", async () => {
  const sent: string[] = [];
  const server = await startFakeBusbar({
    "POST /v3/devices/copy/telemetry/import": (request) => {
      sent.push(request.body.toString());
      return ok;
    },
  });
  const load = async (csv: string) =>
    await withFolder(async (folder) => {
      writeFileSync(join(folder, "points.csv"), csv);
      const env = { BUSBAR_URL: server.url, BUSBAR_TOKEN: "t" };
      return await runBusbar(["telemetry", "import", join(folder, "points.csv"), "-d", "copy"], { env });
    });
  try {
    const header = "ts,telemetry=power device=meter-1,telemetry=mode device=meter-1 aggregation=last granularity=1m";
    expect(await load(`${header}\n1,2,idle\n`)).toMatchObject({ code: 0, out: "imported 1 points in 1 rows\n" });
    expect(sent).toEqual(["ts,telemetry=power,telemetry=mode aggregation=last granularity=1m\n1,2,idle\n"]);
    const several = await load("ts,telemetry=power device=a,telemetry=power device=b\n1,2,3\n");
    expect([several.code, several.err]).toEqual([2, expect.stringContaining("--device cannot be all of them")]);
    expect(sent).toHaveLength(1);
  } finally {
    await server.stop();
  }
});
