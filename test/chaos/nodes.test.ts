// Nodes on one PostgreSQL, of which any part is killed: kills-of-nodes.ts says what has to hold.
import { test } from "vitest";
import { hasMosquitto } from "../support/mosquitto.ts";
import { startPostgres } from "../support/postgres.ts";
import { roundsOf } from "../support/rounds.ts";
import { killsOfNodes } from "./kills-of-nodes.ts";

const ROUNDS = roundsOf("kills of nodes, broker and database");

test.runIf(hasMosquitto)(
  "kills of any part at random moments, under load",
  { timeout: 600_000 + ROUNDS * 45_000 },
  async () => {
    const server = await startPostgres({ fsync: true });
    const database = { ...server, servers: new Map([["database", server]]) };
    await killsOfNodes(database, { rounds: ROUNDS, first: ["node", "database", "broker"] });
  },
);
