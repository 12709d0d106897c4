import type { Gateway } from "#core/link/gateway.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#http/schema.ts";
import { id, name, nullable, strict, timestamp } from "#http/wire.ts";
import type { UplinkStatus } from "#service/link/uplink.ts";

const duration = Type.Unsafe<string | number>({
  anyOf: [{ type: "string", maxLength: 50 }, { type: "integer" }],
  description: "A duration such as 2h, or seconds. Without it: 1 hour.",
});

export const newJoinCodeSchema = strict("NewJoinCode", {
  name: Type.Optional(name("What the gateway is called here. Without it: as its first site.")),
  expires_in: Type.Optional(duration),
});

export const joinCodeSchema = strict("JoinCode", {
  code: Type.String({ description: "Lets one gateway join. It is shown this once." }),
  expires_at: timestamp,
});

export const joinSchema = strict("Join", {
  code: Type.String({ minLength: 1, maxLength: 200 }),
  name: name("What the gateway calls itself."),
  version: Type.String({ minLength: 1, maxLength: 100, description: "Of the gateway's program." }),
});

export const joinedSchema = strict("Joined", {
  gateway_id: id("Gateway identifier."),
  credential: Type.String({ description: "With this the gateway signs in. It is shown this once." }),
});

export const gatewaySchema = strict("Gateway", {
  id: id("Gateway identifier."),
  name: Type.String(),
  version: Type.String(),
  connected: Type.Boolean(),
  site_ids: Type.Array(Type.String(), { description: "The sites that it owns." }),
  created_at: timestamp,
  last_seen_at: nullable(timestamp),
  revoked_at: nullable(timestamp),
});

export function renderGateway(gateway: Gateway, siteIds: readonly string[]): Static<typeof gatewaySchema> {
  return {
    id: gateway.id,
    name: gateway.name,
    version: gateway.version,
    connected: gateway.isConnected,
    site_ids: [...siteIds],
    created_at: renderInstant(gateway.createdAt),
    last_seen_at: gateway.lastSeenAt === undefined ? null : renderInstant(gateway.lastSeenAt),
    revoked_at: gateway.revokedAt === undefined ? null : renderInstant(gateway.revokedAt),
  };
}

export const newUplinkSchema = strict("NewUplink", {
  url: Type.String({ maxLength: 2_000, pattern: "^(?:https?|wss?)://", description: "Address of the cloud." }),
  code: Type.String({ minLength: 1, maxLength: 200, description: "The code that the cloud made." }),
});

export const uplinkSchema = strict("Uplink", {
  url: Type.String(),
  gateway_id: id("How the cloud calls this gateway."),
  joined_at: timestamp,
  connected: Type.Boolean(),
  since: timestamp,
  backlog: Type.Integer({ description: "Changes that the cloud has not confirmed." }),
  telemetry: strict("UplinkTelemetry", {
    messages: Type.Integer({ description: "New messages that the cloud has not confirmed." }),
    hours: Type.Integer({ description: "Hours of devices of which the cloud lacks points." }),
    history_before: nullable(timestamp),
  }),
  last_error: nullable(Type.String()),
});

export function renderUplink(status: UplinkStatus): Static<typeof uplinkSchema> {
  return {
    url: status.url,
    gateway_id: status.gatewayId,
    joined_at: renderInstant(status.joinedAt),
    connected: status.isConnected,
    since: renderInstant(status.since),
    backlog: status.backlog,
    telemetry: {
      messages: status.telemetry.messages,
      hours: status.telemetry.hours,
      history_before:
        status.telemetry.historyBefore === undefined ? null : renderInstant(status.telemetry.historyBefore),
    },
    last_error: status.lastError ?? null,
  };
}
