import type { Requester } from "#core/share/requester.ts";

/**
 * Says what is wrong with a value under the text of a JSON schema; undefined: it fits, or the schema cannot be used. Away from
 * the thread that answers HTTP, because a schema's patterns take the time they take. Requesters take turns.
 */
export type CheckJsonValue = (schema: string, value: unknown, requester: Requester) => Promise<string | undefined>;
