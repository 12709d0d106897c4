// Which writes other nodes have to know of, although no event tells them. The note is stored in the transaction of the
// write.
import { credentialKey } from "#core/device/device.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import type { WRITES } from "#store/records/writes.ts";

type Writes = typeof WRITES;

type Result<Name extends keyof Writes> = Awaited<ReturnType<Writes[Name]>>;
type Note<Name extends keyof Writes> = (input: Parameters<Writes[Name]>[1], result: Result<Name>) => NodeMessage;

const ended = (ids: readonly string[]): NodeMessage => ({ kind: "sessions", have: "ended", ids });

const NOTES: { readonly [Name in keyof Writes]?: Note<Name> } = {
  insertToken: ({ token: { id } }) => ({ kind: "token", id }),
  revokeToken: ({ id }) => ({ kind: "token", id }),
  putCredential: ({ credential }) => ({
    kind: "credential",
    deviceId: credential.deviceId,
    valid: credentialKey(credential),
  }),
  insertSession: (_, replaced) => ended(replaced),
  renewSession: ({ renewal: { id } }) => ({ kind: "sessions", have: "renewed", ids: [id] }),
  endSession: ({ id }) => ended([id]),
  endSessionsOfToken: (_, ids) => ended(ids),
  putProfiles: () => ({ kind: "profiles" }),
  insertWebhook: () => ({ kind: "webhooks" }),
  deleteWebhook: () => ({ kind: "webhooks" }),
};

/** Undefined for a write that nobody keeps in memory, or that has an event. */
export function noteOf(name: keyof Writes, input: unknown, result: unknown): NodeMessage | undefined {
  return (NOTES[name] as ((input: unknown, result: unknown) => NodeMessage) | undefined)?.(input, result);
}

export const ADD_NOTE = "INSERT INTO node_note (message) VALUES (?)";

/** The notes of transactions that a former snapshot did not see, and the snapshot that sees them. */
export const NEW_NOTES = `SELECT pg_current_snapshot()::text AS snapshot, ARRAY(
    SELECT message FROM node_note WHERE transaction >= pg_snapshot_xmin($1::pg_snapshot)
    AND NOT pg_visible_in_snapshot(transaction, $1::pg_snapshot) ORDER BY number
  ) AS messages`;

export const PRUNE_NOTES = "DELETE FROM node_note WHERE stored_at < now() - interval '10 minutes'";
