import { describe, onTestFinished, vi } from "vitest";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { PATIENT } from "../support/patient.ts";
import { startPostgres } from "../support/postgres.ts";
import { useRecords } from "../support/sqlite-records.ts";
import { choresContract } from "./chores-contract.ts";

const { emptied, rows } = useRecords();

describe("SQLite", () => {
  choresContract(async () => ({ nodes: [await emptied()], rows: async (sql) => rows(sql) }));
});

describe("PostgreSQL with two nodes", () => {
  choresContract(async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const url = await server.prepared("records");
    const nodes = await Promise.all(
      [1, 2].map(async () => {
        const node = await openPostgresRecords(url, { allowLoss: true });
        onTestFinished(() => node.close());
        // A node that is not connected to the others yet claims nothing.
        await vi.waitFor(
          async () => (await node.nodes.claim("ready"))?.release() ?? Promise.reject(new Error("not yet")),
          PATIENT,
        );
        return node;
      }),
    );
    const client = await server.session("records");
    onTestFinished(() => client.end());
    return { nodes, rows: async (sql) => (await client.query(sql)).rows };
  });
});
