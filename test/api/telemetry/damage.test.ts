// What a caller sees when part of telemetry.db is damaged, and when it cannot be read at all.
import { openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Connection } from "#store/sqlite/connection.ts";
import { useServer } from "../../support/server.ts";
import { ask, type Connected, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"], { provoked: /the store refused a call/ });
const kit = useTelemetry(busbar);
const file = join(busbar.data, "telemetry.db");

const query = ({ id }: Connected, attribute = "power") => ask(busbar.admin, { telemetry: [{ device: id, attribute }] });

/** The hour of 1970 goes into chunks within a second. */
async function sealed(chunks: number): Promise<void> {
  const database = new Connection(file, "read");
  const count = () => database.get("SELECT count(*) AS n FROM chunk")?.["n"];
  await expect.poll(count).toBe(chunks);
  database.close();
}

test("damage is reported by its place, and everything else is answered", async () => {
  const [one, other] = [await kit.connect("one"), await kit.connect("other")];
  await one.send("0 power=1 energy=1; 60 power=2 energy=2");
  await other.send("0 power=3");
  await sealed(3);
  await busbar.stop();
  const database = new Connection(file, "write");
  const named =
    "series = (SELECT s.id FROM series s JOIN device d ON d.id = s.device WHERE d.device_id = ? AND attribute = ?)";
  database.run(`UPDATE chunk SET data = zeroblob(length(data)) WHERE ${named}`, one.id, "power");
  database.close();
  await busbar.restart();

  const refused = await query(one);
  expect([refused.status, refused.errors]).toMatchObject([
    503,
    [
      {
        code: "storage_damaged",
        details: {
          device: one.id,
          attribute: "power",
          from: "1970-01-01T00:00:00.000Z",
          to: expect.stringMatching(/^1970-01-0[12]T/),
        },
      },
    ],
  ]);
  expect(rowsOf(await query(one, "energy"))).toBe("0,1 60,2");
  expect(rowsOf(await query(other))).toBe("0,3");
  const now = await busbar.admin.get<{ devices: object }>(`/telemetry/v1/now?devices[${one.id}]=power`);
  expect(now.body.devices).toMatchObject({ [one.id]: { power: { value: 2 } } });
  const ready = await busbar.anonymous.get("/readyz");
  expect(ready.text).toContain("damaged");
  expect(ready.text).not.toContain(one.id);
  expect(busbar.log).toContain(`chunk ${one.id} power 0`);
});

test("points that were damaged before they were sealed are reported at every start, until somebody says that this is known", async () => {
  const device = await kit.connect("recent");
  await device.send(`${Math.floor(Date.now() / 1000)} power=7`);
  await busbar.stop();
  const database = new Connection(file, "write");
  const [row] = database.all("SELECT sequence, batch FROM journal ORDER BY sequence DESC LIMIT 1");
  const batch = Uint8Array.from(row?.["batch"] as Uint8Array);
  batch[batch.length - 1] = (batch.at(-1) ?? 0) ^ 1;
  database.run("UPDATE journal SET batch = ? WHERE sequence = ?", batch, Number(row?.["sequence"]));
  database.close();
  const ready = async () => (await busbar.anonymous.get("/readyz")).text;
  for (let start = 1; start <= 2; start++) {
    await busbar.restart();
    expect(await ready()).toContain("may lack them");
  }
  await busbar.restart(["--telemetry-forget-damaged"]);
  expect(await ready()).not.toContain("may lack them");
  await busbar.restart();
  expect(await ready()).not.toContain("may lack them");
});

test("a file that SQLite cannot read fails the query alone; devices, calls and now go on", async () => {
  const device = await kit.connect("third");
  await device.send("0 power=5");
  await sealed(4);
  await busbar.stop();
  const database = new Connection(file, "write");
  const root = Number(database.get("SELECT rootpage FROM sqlite_schema WHERE name = 'chunk'")?.["rootpage"]);
  database.close();
  const size = readFileSync(file).readUInt16BE(16);
  writeSync(openSync(file, "r+"), Buffer.alloc(size, 0xff), 0, size, (root - 1) * size);
  await busbar.restart();

  const refused = await query(device);
  expect([refused.status, refused.errors]).toMatchObject([503, [{ code: "storage_unavailable" }]]);
  expect((await busbar.admin.get("/v3/devices")).status).toBe(200);
  const now = await busbar.admin.get<{ devices: object }>(`/telemetry/v1/now?devices[${device.id}]=power`);
  expect(now.body.devices).toMatchObject({ [device.id]: { power: { value: 5 } } });
  expect((await busbar.anonymous.get("/readyz")).text).toContain("could not be read");
});
