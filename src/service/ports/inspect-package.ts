import type { Requester } from "#core/share/requester.ts";
import type { BuiltProgram } from "#service/blueprint/build-program.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";

/** Reads an uploaded package; away from the thread that answers HTTP, because a hostile one takes its time. Requesters take turns. */
export type InspectPackage = (bytes: Uint8Array, requester: Requester) => Promise<Inspection>;

/**
 * Puts the scripts of a package and the rocks they ask for together, away from the same thread. For a package whose
 * manifest is in order; without a script, or with errors in it, there is no program.
 */
export type BuildScripts = (bytes: Uint8Array, requester: Requester) => Promise<BuiltProgram>;
