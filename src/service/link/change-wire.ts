import { CHANGE_STATES, type GatewayChange } from "#core/link/asked-change.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const changeErrorSchema = strict("ChangeError", {
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Object({}, { additionalProperties: true })),
});

export const changeSchema = described("GatewayChange", "A change of a joined site, which its gateway is asked for.", {
  id: id("Change identifier."),
  operation: Type.String({ description: "The operation that the gateway is asked for." }),
  gateway_id: Type.String(),
  site_id: Type.String(),
  device_id: nullable(Type.String()),
  state: oneOf(CHANGE_STATES, {
    description:
      "PENDING: the gateway has not answered yet. DONE: it made the change. REFUSED: it did not, see errors. " +
      "OVERRULED: the same was changed on the gateway meanwhile, and that stays. WITHDRAWN: nobody asks for it any more.",
  }),
  asked: Type.Object({}, { additionalProperties: true, description: "What is asked for, without values of secrets." }),
  asked_by: strict("ChangeAsker", { token_id: Type.String(), name: Type.String() }),
  created_at: timestamp,
  settled_at: nullable(timestamp),
  lease_until: nullable(
    Type.String({ format: "date-time", description: "Of a claim: its end, which is fixed while it waits." }),
  ),
  errors: Type.Array(changeErrorSchema, { description: "Why it was refused, as the gateway says it." }),
  overruled: Type.Array(Type.String(), { description: "What was changed on the gateway meanwhile." }),
});

export function renderGatewayChange(change: GatewayChange): Static<typeof changeSchema> {
  const { outcome } = change;
  return {
    id: change.id,
    operation: change.operation,
    gateway_id: change.gatewayId,
    site_id: change.siteId,
    device_id: change.deviceId ?? null,
    state: change.state,
    asked: change.shown,
    asked_by: { token_id: change.askedBy.tokenId, name: change.askedBy.name },
    created_at: renderInstant(change.createdAt),
    settled_at: change.settledAt === undefined ? null : renderInstant(change.settledAt),
    lease_until: change.leaseUntil === undefined ? null : renderInstant(change.leaseUntil),
    errors: outcome?.state === "REFUSED" ? [...outcome.errors] : [],
    overruled: outcome?.state === "OVERRULED" ? [...outcome.fields] : [],
  };
}
