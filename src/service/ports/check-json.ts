import type { Requester } from "#core/share/requester.ts";

/**
 * Reports what is wrong with a value under the text of a JSON schema. Undefined means that it fits, or that the schema
 * cannot be used. Runs off the HTTP thread, because a schema's patterns may take long. Requesters take turns.
 */
export type CheckJsonValue = (schema: string, value: unknown, requester: Requester) => Promise<string | undefined>;
