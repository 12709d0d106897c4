// Two PostgreSQL servers over TLS, each with a certificate for its own name: both names are checked.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { startNode } from "../support/nodes.ts";
import { hasPostgresPair, type PostgresPair, startPostgresPair } from "../support/postgres-pair.ts";

let pair: PostgresPair;
beforeAll(async () => {
  if (hasPostgresPair) pair = await startPostgresPair({ names: ["localhost", "127.0.0.1"] });
}, 60_000);
afterAll(() => pair?.stop());

function addressOf(hosts: readonly [string, string], parameters: string): string {
  const named = hosts.map((host, n) => `${host}:${pair.ports[n]}`).join();
  return `postgres://busbar@${named}/pair?${parameters}`;
}
const verified = () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(pair.authority)}`;

test.runIf(hasPostgresPair)(
  "a certificate for another name, or of another authority, is refused at the start",
  async () => {
    const open = (url: string) => openPostgresRecords(url, { allowLoss: true });
    await expect(open(addressOf(["127.0.0.1", "localhost"], verified()))).rejects.toThrow(
      "the database cannot be opened: Hostname/IP does not match certificate's altnames",
    );
    await expect(open(addressOf(["localhost", "127.0.0.1"], "sslmode=verify-full"))).rejects.toThrow(
      /the database cannot be opened: (?:self-signed certificate in certificate chain|unable to verify)/,
    );
  },
);

test.runIf(hasPostgresPair)(
  "a node goes over to the standby, and all its connections are checked and encrypted",
  {
    timeout: 120_000,
  },
  async () => {
    const node = await startNode({ url: addressOf(["localhost", "127.0.0.1"], verified()) });
    const isStored = (name: string) =>
      expect.poll(async () => (await node.admin.post("/v3/sites", { name })).status, { timeout: 60_000 }).toBe(200);
    const connections = () =>
      pair.onPrimary(`SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity AS one USING (pid)
      WHERE one.application_name LIKE 'busbar%'`);
    await isStored("Before");
    expect(await connections()).toEqual([{ ssl: true }]);
    await pair.killPrimary();
    await pair.promote();
    await isStored("After");
    expect(await connections()).toEqual([{ ssl: true }]);
    const { body } = await node.admin.get("/v3/sites");
    expect(body.sites.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["Before", "After"]));
  },
);
