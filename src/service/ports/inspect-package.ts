import type { IcalFile } from "#core/calendar/ical/read-ical.ts";
import type { Requester } from "#core/share/requester.ts";
import type { BuiltProgram } from "#service/blueprint/build-program.ts";
import type { CompiledPackage } from "#service/blueprint/compile-package.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";
import type { InspectedProfiles } from "#service/blueprint/inspect-profiles.ts";

/**
 * Reads an uploaded package. Runs off the HTTP thread, because a hostile package may take long. Requesters take turns.
 */
export type InspectPackage = (bytes: Uint8Array, requester: Requester) => Promise<Inspection>;

/** Makes a package with a compiled manifest of a stored one, in the same way. */
export type CompilePackage = (bytes: Uint8Array, requester: Requester) => Promise<CompiledPackage>;

/** Reads an uploaded zip of profiles, in the same way. */
export type InspectProfiles = (bytes: Uint8Array, requester: Requester) => Promise<InspectedProfiles>;

/**
 * Combines the scripts of a package with the rocks that they need, also off the HTTP thread. The manifest must have no
 * errors. Without a script, or with errors in one, there is no program.
 */
export type BuildScripts = (bytes: Uint8Array, requester: Requester) => Promise<BuiltProgram>;

/** Reads an iCalendar text in the same way. Times without a zone are of this one. */
export type ReadIcal = (text: string, timezone: string, requester: Requester) => Promise<IcalFile>;
