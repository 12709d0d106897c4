import { AUDIT_OUTCOMES, type AuditEntry } from "#core/access/audit-entry.ts";
import { DOORS } from "#core/access/door.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

export const auditEntrySchema = strict("AuditEntry", {
  id: id("Entry identifier."),
  at: timestamp,
  count: Type.Integer({ description: "How many calls the entry stands for. Repeated refusals are one entry." }),
  last_at: timestamp,
  actor: nullable(
    strict("AuditActor", {
      token_id: Type.String(),
      name: Type.String(),
      account_id: nullable(Type.String({ description: "The person, in the page or with a token of that person." })),
    }),
  ),
  door: nullable(
    oneOf(DOORS, {
      description:
        "How the call came: page with the cookie of a session, token with a token, cli if the program with the token says that it is the command line. Null: it is not known.",
    }),
  ),
  reported_by: nullable(
    Type.String({
      description:
        "The gateway that reported the entry to this cloud: actor, address and everything else are as the gateway says. Null: this server wrote it.",
    }),
  ),
  action: Type.String({ description: "The operation, such as createSite." }),
  target: strict("AuditTarget", {
    site_id: Type.Optional(Type.String()),
    device_id: Type.Optional(Type.String()),
    blueprint_id: Type.Optional(Type.String()),
    token_id: Type.Optional(Type.String()),
  }),
  outcome: oneOf(AUDIT_OUTCOMES),
  code: Type.Optional(Type.String({ description: "Error code of a refused call." })),
  request_id: Type.String(),
  remote_address: Type.String(),
  details: Type.Object({}, { additionalProperties: true }),
});

const renderActor = (actor: AuditEntry["actor"]) =>
  actor === undefined ? null : { token_id: actor.tokenId, name: actor.name, account_id: actor.accountId ?? null };

export function renderAuditEntry(entry: AuditEntry): Static<typeof auditEntrySchema> {
  const { siteId, deviceId, blueprintId, tokenId } = entry.target;
  return {
    id: entry.id,
    at: renderInstant(entry.at),
    count: entry.count,
    last_at: renderInstant(entry.lastAt),
    actor: renderActor(entry.actor),
    door: entry.door ?? null,
    reported_by: entry.reportedBy ?? null,
    action: entry.action,
    target: {
      ...(siteId !== undefined && { site_id: siteId }),
      ...(deviceId !== undefined && { device_id: deviceId }),
      ...(blueprintId !== undefined && { blueprint_id: blueprintId }),
      ...(tokenId !== undefined && { token_id: tokenId }),
    },
    outcome: entry.outcome,
    ...(entry.code !== undefined && { code: entry.code }),
    request_id: entry.requestId,
    remote_address: entry.remoteAddress,
    details: { ...entry.details },
  };
}
