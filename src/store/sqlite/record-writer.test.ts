import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Execution, Micros } from "#core/command/execution.ts";
import { instant } from "#core/time/instant.ts";
import { makeDevice, makeEntry, makeSite, NOON } from "../../../test/support/records.ts";
import { commitBatch, type WriteAnswer, type WriteRequest } from "./commit-batch.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { createRecordWriter } from "./record-writer.ts";

const PATIENCE_MS = 1_000;
const TABLES = ["execution", "execution_group", "execution_response", "execution_hour", "execution_day"];
const EXECUTIONS = 4;

type Step =
  | { readonly do: "insert" | "mark" | "unmark" | "expire" | "lose"; readonly which: number }
  | { readonly do: "respond"; readonly which: number; readonly state: "STARTED" | "IN_PROGRESS" | "SUCCEEDED" }
  | { readonly do: "give"; readonly which: number; readonly isAnswered: boolean }
  | { readonly do: "copy"; readonly which: number; readonly state: "IN_PROGRESS" | "SUCCEEDED"; readonly since: number }
  | { readonly do: "refused" | "delete the device" | "sweep" };

const which = fc.integer({ min: 0, max: EXECUTIONS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("insert" as const), which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("respond" as const),
      which,
      state: fc.constantFrom("STARTED" as const, "IN_PROGRESS" as const, "SUCCEEDED" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("mark", "unmark", "expire", "lose"), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("give" as const), which, isAnswered: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("copy" as const),
      which,
      state: fc.constantFrom("IN_PROGRESS" as const, "SUCCEEDED" as const),
      since: fc.constantFrom(0, 0, 2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("refused", "delete the device", "sweep") }) },
) as fc.Arbitrary<Step>;

let folder = "";
let template = "";
let lastFile = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "busbar-writer-"));
  template = join(folder, "empty.db");
  const database = new Connection(template, "write");
  migrate(database);
  database.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("what the writer remembers and holds back never changes what is stored", async () => {
  const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(batches, async (chosen) => {
      expect(await stored(chosen, true)).toEqual(await stored(chosen, false));
    }),
    { numRuns: 60 },
  );
});

/** The answers, and what the tables hold in the end: by a writer that remembers, or by a new one for each write. */
async function stored(batches: readonly (readonly Step[])[], remembers: boolean): Promise<unknown> {
  const file = join(folder, `${++lastFile}.db`);
  copyFileSync(template, file);
  const database = new Connection(file, "write");
  database.script("PRAGMA synchronous = OFF");
  const site = { ...makeSite(), id: "site" };
  const device = { ...makeDevice(site.id), id: "device" };
  const writer = createRecordWriter(database);
  let lastId = 0;
  const answers: unknown[] = [];
  const run = async (requests: readonly Omit<WriteRequest, "id">[]) => {
    const numbered = requests.map((request) => ({ id: ++lastId, ...request }));
    const batches = remembers ? [numbered] : numbered.map((one) => [one]);
    for (const batch of batches) {
      const answered = await commitBatch(database, batch, remembers ? writer : createRecordWriter(database));
      answers.push(...answered.map(withoutPlaces));
    }
  };
  const trail = makeEntry;
  await run([
    { name: "insertSite", input: { site, trail: trail() } },
    { name: "insertDevice", input: { device, trail: trail() } },
  ]);
  let clock = NOON * 1_000;
  for (const batch of batches) await run(batch.map((one) => requestOf(one, ++clock as Micros)));
  const found = { answers, tables: TABLES.map((name) => rowsOf(database, name)) };
  // A log that counts as empty is empty: then what its owner reports is all of it.
  const logged =
    "SELECT e.id FROM execution e JOIN execution_response r ON r.execution_id = e.id WHERE e.log_bytes = 0";
  expect(database.all(logged)).toEqual([]);
  database.close();
  return found;
}

/** An answer without the numbers of its changes, and a fault without its stack. */
function withoutPlaces(answer: WriteAnswer): unknown {
  if ("fault" in answer) return "fault";
  return "result" in answer ? answer.result : answer;
}

/** Without the numbers of changes: an undone batch leaves a gap in them that only the writer itself knows of. */
function rowsOf(database: Connection, table: string): readonly unknown[] {
  return database.all(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).map(({ changed: _, ...rest }) => rest);
}

function requestOf(step: Step, at: Micros): Omit<WriteRequest, "id"> {
  const trail = makeEntry();
  switch (step.do) {
    case "insert": {
      const execution = executionOf(step.which);
      const limits = { idempotency: undefined, maxOpen: 2, maxOpenBytes: 1_000_000 };
      return {
        name: "insertExecution",
        input: { input: { execution, sealed: undefined, attempted: false, ...limits }, trail },
      };
    }
    case "respond": {
      const arrival = { state: step.state, payload: { at }, at, patienceMs: PATIENCE_MS, repeated: false };
      return { name: "recordResponse", input: { deviceId: "device", id: `e${step.which}`, arrival } };
    }
    case "give":
      return { name: "giveExecutionToOwner", input: { id: `e${step.which}`, isAnswered: step.isAnswered } };
    case "copy": {
      const { state, since } = step;
      const response = { state, payload: { at }, receivedAt: at };
      const execution = {
        ...executionOf(step.which),
        state: state === "SUCCEEDED" ? "SUCCESS" : state,
        response,
        revision: since + 2,
      };
      const change = { execution, responses: [response], since, leftOut: undefined };
      return { name: "applyRemoteExecution", input: { change } };
    }
    case "mark":
      return { name: "markAttempted", input: { id: `e${step.which}` } };
    case "unmark":
      return { name: "unmarkAttempted", input: { id: `e${step.which}` } };
    case "expire":
      return { name: "expireExecution", input: { id: `e${step.which}`, deadline: executionOf(step.which).deadline } };
    case "lose":
      return { name: "loseSightOfExecution", input: { id: `e${step.which}` } };
    case "refused":
      return { name: "insertSite", input: { site: { ...makeSite(), id: "site" }, trail } };
    case "delete the device":
      return { name: "deleteDevice", input: { id: "device", trail } };
    case "sweep":
      return { name: "sweepExecutions", input: { now: instant(NOON + 100 * 86_400_000) } };
  }
}

function executionOf(which: number): Execution {
  return {
    id: `e${which}`,
    deviceId: "device",
    siteId: "site",
    state: "NEW",
    ephemeral: which % 2 === 0,
    createdAt: NOON,
    request: { name: `command_${which % 3}`, manifestName: `command_${which % 3}`, arguments: { which } },
    response: undefined,
    readLevel: "user",
    deadline: instant(NOON + PATIENCE_MS),
    revision: 1,
    isRemote: false,
  };
}
