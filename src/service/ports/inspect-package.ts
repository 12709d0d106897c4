import type { Inspection } from "#service/blueprint/inspect-package.ts";

/** Reads an uploaded package; away from the thread that answers HTTP, because a hostile one takes its time. */
export type InspectPackage = (bytes: Uint8Array) => Promise<Inspection>;
