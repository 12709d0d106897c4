// Nodes on a Citus, of which any part is killed, workers and the coordinator among them: kills-of-nodes.ts says what has to hold.
import { test } from "vitest";
import { HAS_CITUS, startCitus } from "../support/citus.ts";
import { hasMosquitto } from "../support/mosquitto.ts";
import { roundsOf } from "../support/rounds.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";
import { killsOfNodes } from "./kills-of-nodes.ts";

const ROUNDS = roundsOf("kills of nodes, broker and servers of Citus");

sayIfWithoutCitus();

test.runIf(hasMosquitto && HAS_CITUS)(
  "kills of any part of a spread cloud at random moments, under load",
  { timeout: 600_000 + ROUNDS * 60_000 },
  async () => {
    const cluster = await startCitus({ fsync: true });
    const workers = cluster.workers.map((worker, n) => [`worker ${n + 1}`, worker] as const);
    const database = { ...cluster, servers: new Map([["coordinator", cluster.coordinator], ...workers]) };
    await killsOfNodes(database, { rounds: ROUNDS, first: ["worker 1", "coordinator", "worker 2", "node", "broker"] });
  },
);
