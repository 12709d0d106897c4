// Reads uploaded packages in a thread of its own, so that a hostile one never holds up an answer to anybody else.
import { parentPort, workerData } from "node:worker_threads";
import type { Profile } from "#core/blueprint/profile.ts";
import { type IcalFile, readIcal } from "#core/calendar/ical/read-ical.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { libraryWith } from "#manifest/library-with.ts";
import { createSyntaxChecks } from "#runtime/lua/check-syntax.ts";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import type { Numbered, TaskAnswer } from "#runtime/task-thread.ts";
import { type BuiltProgram, buildProgram } from "#service/blueprint/build-program.ts";
import { checkPackage } from "#service/blueprint/check-package.ts";
import { type CompiledPackage, compilePackage } from "#service/blueprint/compile-package.ts";
import { type Inspection, inspectPackage } from "#service/blueprint/inspect-package.ts";
import { type InspectedProfiles, inspectProfiles } from "#service/blueprint/inspect-profiles.ts";
import { freeBytes } from "#tuning/free-bytes.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { lowerPriority } from "#tuning/lower-priority.ts";
import { openRockRepository } from "./open-rock-repository.ts";

export interface InspectTask {
  readonly kind: "inspect" | "compile" | "build" | "profiles" | "ical";
  readonly bytes: Uint8Array;
}

/** The bytes of an iCalendar text are the JSON of this. */
export interface IcalInput {
  readonly text: string;
  readonly timezone: string;
}

export type InspectResult = Inspection | CompiledPackage | BuiltProgram | InspectedProfiles | IcalFile;

type InspectAnswer = TaskAnswer<InspectResult>;

export interface InspectSettings {
  /** The operator's folder of rocks. */
  readonly rocks: string;
  /** Profiles besides those of Busbar. */
  readonly profiles: readonly Profile[];
}

/** The full path would reveal the machine's layout to a stranger. */
const FOLDER = "the folder rocks of the data folder";
const settings = workerData as InspectSettings;
const profiles = libraryWith(settings.profiles);
const syntaxChecks = createSyntaxChecks();
const evaluate = createEvaluator();

const TASKS: Readonly<Record<InspectTask["kind"], (bytes: Uint8Array) => InspectResult>> = {
  inspect: (bytes) => inspectPackage(bytes, profiles),
  compile: (bytes) => compilePackage(bytes, profiles),
  build,
  profiles: (bytes) => inspectProfiles(bytes, profiles),
  ical: (bytes) => {
    const { text, timezone } = JSON.parse(new TextDecoder().decode(bytes)) as IcalInput;
    return readIcal(text, timezone);
  },
};

keepCompiled();
lowerPriority();
parentPort?.on("message", ({ id, kind, bytes }: Numbered<InspectTask>) => {
  const result = TASKS[kind](bytes);
  if (parentPort === null) return;
  const error = tryPost(parentPort, { id, result } satisfies InspectAnswer);
  if (error !== undefined) tryPost(parentPort, { id, failure: error.message } satisfies InspectAnswer);
  // Not before: the result may hold parts of them.
  freeBytes(bytes);
});

function build(bytes: Uint8Array): BuiltProgram {
  const { package: content, blueprint } = checkPackage(bytes, profiles);
  if (content === undefined || blueprint === undefined) return { program: undefined, issues: [] };
  return buildProgram(content, blueprint, {
    repository: openRockRepository(settings.rocks, FOLDER),
    checkSyntax: syntaxChecks(),
    evaluate,
  });
}
