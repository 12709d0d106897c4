import { Worker } from "node:worker_threads";
import { AppError, refuse } from "#core/app-error.ts";
import type { Profile } from "#core/blueprint/profile.ts";
import type { FairShare, Leave } from "#core/share/fair-share.ts";
import type { Requester } from "#core/share/requester.ts";
import type { Shares } from "#core/share/shares.ts";
import type { IcalInput, InspectResult, InspectSettings, InspectTask } from "#runtime/inspect/inspect-worker.ts";
import { createTaskThread } from "#runtime/task-thread.ts";
import type {
  BuildScripts,
  CompilePackage,
  InspectPackage,
  InspectProfiles,
  ReadIcal,
} from "#service/ports/inspect-package.ts";

/** Far more processor time than any package takes. A thread that takes longer is stuck and is ended. */
const DEADLINE_MS = 5_000;
const MEMORY_MB = 256;
/** One package is read at a time, and requesters take turns. The cost of reading is counted in milliseconds. */
const READING = { slots: 1, slotsPerKey: 1, waiting: 64, waitingPerKey: 16, quantum: 20 };
/** Callers without a token wait here first and take turns by address: together they count as one requester. */
const WITHOUT_TOKEN = { slots: 1, slotsPerKey: 1, waiting: 8, waitingPerKey: 4, quantum: 20 };
const NOBODY = "nobody";
/** Reading stored packages again takes no place from uploads. */
const STORED = { slots: 1, slotsPerKey: 1, waiting: 256, waitingPerKey: 256 };

export interface Inspector {
  readonly inspect: InspectPackage;
  readonly compile: CompilePackage;
  readonly build: BuildScripts;
  readonly inspectProfiles: InspectProfiles;
  readonly readIcal: ReadIcal;
  /** From the next package on, these are known besides those of Busbar. */
  useProfiles(profiles: readonly Profile[]): void;
  close(): Promise<void>;
}

interface InspectorNeeds {
  readonly shares: Pick<Shares, "open">;
  readonly deadlineMs?: number;
  readonly openThread?: (settings: InspectSettings) => Worker;
}

export function createInspector(
  { shares, deadlineMs = DEADLINE_MS, openThread = openInspectThread }: InspectorNeeds,
  given: InspectSettings,
): Inspector {
  let settings = given;
  const reading = shares.open("packages", READING);
  const before = {
    address: shares.open("packages_without_token", WITHOUT_TOKEN),
    "own work": shares.open("packages_stored", STORED),
    token: undefined,
    device: undefined,
  };
  const thread = createTaskThread<InspectTask, InspectResult>({
    open: () => openThread(settings),
    deadlineMs,
    lost: () => refuse("overloaded", "the package took too long to read; is it larger than it needs to be?"),
  });

  /** The thread answers each kind of task with its own kind of result. */
  async function ask<Result extends InspectResult>(
    kind: InspectTask["kind"],
    bytes: Uint8Array,
    { kind: whose, key }: Requester,
  ): Promise<Result> {
    const room = before[whose];
    const leaveRoom = room && (await turnIn(room, key));
    let leave: Leave | undefined;
    let begun = performance.now();
    try {
      leave = await turnIn(reading, whose === "address" ? NOBODY : key);
      begun = performance.now();
      return (await thread.run({ kind, bytes })) as Result;
    } finally {
      const cost = performance.now() - begun;
      leave?.(cost);
      leaveRoom?.(cost);
    }
  }

  return {
    inspect: (bytes, requester) => ask("inspect", bytes, requester),
    compile: (bytes, requester) => ask("compile", bytes, requester),
    build: (bytes, requester) => ask("build", bytes, requester),
    inspectProfiles: (bytes, requester) => ask("profiles", bytes, requester),
    readIcal: (text, timezone, requester) =>
      ask("ical", new TextEncoder().encode(JSON.stringify({ text, timezone } satisfies IcalInput)), requester),
    useProfiles(profiles) {
      settings = { ...settings, profiles };
      thread.renew();
    },
    close: () => thread.close(),
  };
}

function openInspectThread(workerData: InspectSettings): Worker {
  return new Worker(new URL("./inspect-worker.ts", import.meta.url), {
    name: "blueprints",
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
}

async function turnIn(share: FairShare, key: string): Promise<Leave> {
  const turn = share.enter(key);
  if (turn !== undefined) return await turn;
  throw new AppError([{ code: "overloaded", message: "too many packages wait to be read; try again in a moment" }], 2);
}
