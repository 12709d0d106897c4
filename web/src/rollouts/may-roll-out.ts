import { session } from "#web/data/session.svelte.ts";

/** Roll-outs reach devices of all sites. */
export const mayRollOut = (): boolean => session.allowsEverywhere("installer");
