// What both sides of a simulated link need besides their stores.
import { createHash } from "node:crypto";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { createSeal } from "#service/access/seal.ts";
import { createBackground } from "#service/background.ts";
import type { After } from "#service/deadlines.ts";
import { createPrepareEvent } from "#service/event/happening.ts";
import { createLinkTurns } from "#service/link/link-turns.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { callBy } from "../../support/calls.ts";
import { commandManifest } from "../../support/command-site.ts";
import { PLAIN_INTAKES } from "../../support/plain-intake.ts";
import type { SimClock } from "../sim-clock.ts";
import type { Run } from "./sim-records.ts";

export const PATIENCE_MS = 1_500;
export const DEVICES = [1, 2].map((n) => `00000000-0000-7000-8000-0000000000d${n}`);
/** Longer than a schedule: a gateway replaces its credential once in it, or never. */
export const CREDENTIAL_LIFETIME_MS = 7 * 86_400_000;
export const CALL = callBy("system");
export const MANIFEST = new TextEncoder().encode(commandManifest("Simulated"));
export const DIGEST = createHash("sha256").update(MANIFEST).digest("hex");
const BLUEPRINT = parseManifest(commandManifest("Simulated")).blueprint;

export interface SideNeeds {
  readonly clock: SimClock;
  readonly random: () => number;
  /** How far the wall clock of this side is ahead. */
  readonly ahead: () => number;
  readonly newId: () => string;
  /** Called with what would be in the log of a program. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** The program of one side during one run: everything but its stores and what is its own. */
export function surroundings(side: SideNeeds, run: Run, stores: SubjectStores) {
  const { clock, random, newId } = side;
  // A run that is over hears no timer any more.
  const after: After = (ms, callback) => clock.after(ms, () => run.isOver || callback());
  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const callOff = after(ms, end);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end);
    });
  const found = { blueprint: BLUEPRINT, manifest: {}, compiled: {} };
  return {
    ...stores,
    now: () => (clock.now() + side.ahead()) as ReturnType<SimClock["now"]>,
    elapsed: () => clock.elapsed,
    newId,
    randomBytes: (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
    random,
    after,
    pause,
    seal: createSeal(new Uint8Array(32).fill(7)),
    background: createBackground((name, error) => run.isOver || side.onFailure(name, error)),
    budgets: createByteBudgets(),
    responseTimeoutMs: PATIENCE_MS,
    credentialLifetimeMs: CREDENTIAL_LIFETIME_MS,
    version: "1.0.0",
    linkIntakes: PLAIN_INTAKES,
    linkTurns: createLinkTurns(createShares()),
    linkedLimits: { sites: 100, devices: 10_000, series: 200_000 },
    children: { place: async () => {} },
    executionTraces: { begun: () => {}, of: () => undefined },
    ruleCauses: { executed: () => {} },
    checkJson: async () => undefined,
    compilePackage: async () => ({ zip: undefined }),
    inspectPackage: async () => ({ issues: [], found }),
    buildScripts: async () => ({ program: undefined, issues: [] }),
    catalog: { get: async () => found, compiled: async () => ({}), withProfiles: async () => [] },
    prepareEvent: createPrepareEvent(() => ({})),
    log: { info: () => {}, warn: (about: object, text: string) => run.isOver || side.onFailure(text, about) },
    onDropped: () => {},
  };
}
