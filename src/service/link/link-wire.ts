import { refuse } from "#core/app-error.ts";
import type { OpenJoinCode } from "#core/link/gateway.ts";
import type { ReportedFigures } from "#core/link/gateway-figures.ts";
import type { RefusedRecord } from "#core/link/refused-record.ts";
import { type Instant, renderInstant } from "#core/time/instant.ts";
import type { DescribedGateway, FleetOverview } from "#service/link/fleet-overview.ts";
import type { UplinkStatus } from "#service/link/uplink.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, strict, timestamp } from "#service/operation/wire.ts";

const duration = Type.Unsafe<string | number>({
  anyOf: [{ type: "string", maxLength: 50 }, { type: "integer" }],
  description: "A duration such as 2h, or seconds, at most 30 days. Without it: 1 hour.",
});

export const newJoinCodeSchema = strict("NewJoinCode", {
  name: Type.Optional(name("What the gateway is called here. Defaults to the name of its first site.")),
  expires_in: Type.Optional(duration),
  replaces: Type.Optional(
    id("A gateway whose sites the new one may take over: replaced hardware, or one that joins again."),
  ),
  site_ids: Type.Optional(
    Type.Array(id("Site identifier."), {
      maxItems: 100,
      description: "Sites of other gateways that the new one may take over.",
    }),
  ),
});

export const joinCodeSchema = strict("JoinCode", {
  id: id("Names the code where it is listed and withdrawn. It lets nobody join."),
  code: Type.String({ description: "Lets one gateway join. It is shown this once." }),
  expires_at: timestamp,
});

export const openCodeSchema = described("OpenJoinCode", "A code with which a gateway can still join.", {
  id: id("Identifier, not the code itself."),
  name: nullable(Type.String({ description: "What the gateway will be called; null: the name of its first site." })),
  replaces: nullable(Type.String({ description: "The gateway whose sites the new one may take over." })),
  site_ids: Type.Array(Type.String(), { description: "Further sites that it may take over." }),
  made_by: strict("JoinCodeMaker", { token_id: Type.String(), name: Type.String() }),
  created_at: timestamp,
  expires_at: timestamp,
});

export function renderOpenCode(code: OpenJoinCode): Static<typeof openCodeSchema> {
  const { madeBy } = code;
  return {
    id: code.id,
    name: code.name ?? null,
    replaces: code.replaces ?? null,
    site_ids: [...code.siteIds],
    made_by: { token_id: madeBy.tokenId, name: madeBy.name },
    created_at: renderInstant(code.createdAt),
    expires_at: renderInstant(code.expiresAt),
  };
}

export const joinSchema = strict("Join", {
  code: Type.String({ minLength: 1, maxLength: 200 }),
  name: name("What the gateway calls itself."),
  version: Type.String({ minLength: 1, maxLength: 100, description: "Of the gateway's program." }),
});

export const joinedSchema = strict("Joined", {
  gateway_id: id("Gateway identifier."),
  credential: Type.String({ description: "With this the gateway signs in. It is shown this once." }),
});

const droppedSchema = described("DroppedHistory", "Hours, days and pieces of telemetry that the cloud never gets.", {
  expired: Type.Integer({ description: "Hours or days of devices that retention deleted before the cloud had them." }),
  unreadable: Type.Integer({ description: "Pieces of stored telemetry that cannot be read." }),
});

const reportSchema = strict("GatewayReport", {
  at: timestamp,
  uptime_seconds: Type.Integer(),
  backlog: described("GatewayBacklog", "What the cloud had not confirmed when the gateway reported.", {
    changes: Type.Integer({ description: "Changes of records that the cloud had not confirmed." }),
    messages: Type.Integer({ description: "New messages of devices, likewise." }),
    points: Type.Integer({ description: "Points in these messages." }),
    bytes: Type.Integer({ description: "About the size of these messages." }),
    hours: Type.Integer({ description: "Device-hours that are uploaded as a whole." }),
    history: Type.Boolean({
      description:
        "Stored history was being uploaded, after joining or a restore of the cloud. It is in no other count.",
    }),
    age_seconds: Type.Integer({
      description: "Of the oldest telemetry among them. While stored history is being uploaded, some may be older.",
    }),
  }),
  dropped: droppedSchema,
  cpu_percent: Type.Number(),
  memory_bytes: Type.Integer(),
  disk_free_bytes: Type.Integer(),
});

export const newSiteGrantSchema = strict("NewSiteGrant", { site_id: id("The site that the gateway may take over.") });

const refusedSchema = described("RefusedRecord", "A record that the cloud does not take from a gateway.", {
  kind: Type.String({ description: "Such as site or device." }),
  id: Type.String({ description: "The record among those of its kind." }),
  reason: Type.String(),
});

const renderRefused = ({ kind, key, reason }: RefusedRecord) => ({ kind, id: key, reason });

export const gatewaySchema = described("Gateway", "A gateway that has joined a cloud.", {
  id: id("Gateway identifier."),
  name: Type.String(),
  version: Type.String(),
  connected: Type.Boolean(),
  site_ids: Type.Array(Type.String(), { description: "The sites that it owns." }),
  device_id: nullable(Type.String({ description: "The device that stands for it in its first site." })),
  refused_count: Type.Integer({
    description: "How many of its records this cloud does not take, at most 100 are counted. Everything else is taken.",
  }),
  refused: Type.Optional(Type.Array(refusedSchema, { description: "These records. Not in lists." })),
  granted_site_ids: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Sites of other gateways that somebody lets it take over, and that it has not named yet. Not in lists.",
    }),
  ),
  report: nullable(reportSchema),
  created_at: timestamp,
  last_seen_at: nullable(timestamp),
  revoked_at: nullable(timestamp),
});

const renderTime = (at: Instant | undefined) => (at === undefined ? null : renderInstant(at));

export const gatewayAnswer = Type.Object({ gateway: gatewaySchema }, { additionalProperties: false });

function renderReport(reported: ReportedFigures): Static<typeof reportSchema> {
  const { ageSeconds, ...backlog } = reported.backlog;
  return {
    at: renderInstant(reported.at),
    uptime_seconds: reported.uptimeSeconds,
    backlog: { ...backlog, age_seconds: ageSeconds },
    dropped: { ...reported.dropped },
    cpu_percent: reported.cpuPercent,
    memory_bytes: reported.memoryBytes,
    disk_free_bytes: reported.freeBytes,
  };
}

export function renderGateway(described: DescribedGateway): Static<typeof gatewaySchema> {
  const { gateway, siteIds, deviceId, reported, takeover } = described;
  return {
    id: gateway.id,
    name: gateway.name,
    version: gateway.version,
    connected: gateway.isConnected,
    site_ids: [...siteIds],
    device_id: deviceId ?? null,
    refused_count: described.refusals,
    ...(takeover !== undefined && {
      refused: takeover.refused.map(renderRefused),
      granted_site_ids: [...takeover.grantedSiteIds],
    }),
    report: reported === undefined ? null : renderReport(reported),
    created_at: renderInstant(gateway.createdAt),
    last_seen_at: renderTime(gateway.lastSeenAt),
    revoked_at: renderTime(gateway.revokedAt),
  };
}

export const fleetSchema = described("Fleet", "All gateways of a cloud in numbers.", {
  gateways: Type.Integer({ description: "Those that have joined and were not revoked." }),
  connected: Type.Integer(),
  away: Type.Integer(),
  revoked: Type.Integer(),
  versions: Type.Array(
    strict("GatewayVersion", { version: Type.String(), gateways: Type.Integer(), connected: Type.Integer() }),
  ),
  with_backlog: Type.Integer({
    description: "Gateways that had changes or telemetry to upload when they reported last.",
  }),
  with_loss: Type.Integer({ description: "Gateways that have lost history before this cloud had it." }),
  backlog: strict("FleetBacklog", {
    changes: Type.Integer(),
    points: Type.Integer(),
    bytes: Type.Integer(),
    hours: Type.Integer(),
    oldest_seconds: Type.Integer({ description: "Age of the telemetry that has waited longest." }),
  }),
});

export function renderFleet(fleet: FleetOverview): Static<typeof fleetSchema> {
  const { versions, revoked, backlog } = fleet;
  const gateways = versions.reduce((sum, one) => sum + one.gateways, 0);
  const connected = versions.reduce((sum, one) => sum + one.connected, 0);
  return {
    gateways,
    connected,
    away: gateways - connected,
    revoked,
    versions: versions.map((one) => ({ ...one })),
    with_backlog: fleet.withBacklog,
    with_loss: fleet.withLoss,
    backlog: { ...backlog, oldest_seconds: fleet.oldestSeconds },
  };
}

export const newUplinkSchema = strict("NewUplink", {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: "Address of the cloud, such as https://cloud.example.",
  }),
  code: Type.String({ minLength: 1, maxLength: 200, description: "The code that the cloud made." }),
});

/** As in the settings: without a slash at the end. */
export function parseCloudUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && /^(?:https?|wss?):$/.test(url.protocol) && url.search + url.hash === "";
  if (!isAddress) {
    throw refuse("invalid_body", `url must be an address such as https://cloud.example, not ${JSON.stringify(text)}`, {
      pointer: "/url",
    });
  }
  if (url.username + url.password !== "") {
    throw refuse("invalid_body", "url must not carry a name or password", { pointer: "/url" });
  }
  return text.replace(/\/+$/, "");
}

export const uplinkSchema = described("Uplink", "The link of a gateway to its cloud.", {
  url: Type.String(),
  gateway_id: id("How the cloud calls this gateway."),
  joined_at: timestamp,
  connected: Type.Boolean(),
  since: timestamp,
  backlog: Type.Integer({ description: "Changes that the cloud has not confirmed." }),
  telemetry: described("UplinkTelemetry", "What the cloud has not confirmed.", {
    messages: Type.Integer({ description: "New messages that the cloud has not confirmed." }),
    points: Type.Integer({ description: "Points in these messages." }),
    bytes: Type.Integer({ description: "About the size of these messages." }),
    hours: Type.Integer({ description: "Device-hours of which the cloud lacks points." }),
    oldest_at: nullable(timestamp),
    history_before: nullable(timestamp),
  }),
  dropped: droppedSchema,
  refused: Type.Array(refusedSchema, {
    description: "Records that the cloud does not take, at most 100. Everything else is taken.",
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
    refused: status.refused.map(renderRefused),
    backlog: status.backlog.changes,
    telemetry: {
      messages: status.backlog.messages,
      points: status.backlog.points,
      bytes: status.backlog.bytes,
      hours: status.backlog.hours,
      oldest_at: renderTime(status.backlog.oldestAt),
      history_before: renderTime(status.historyBefore),
    },
    dropped: { ...status.dropped },
    last_error: status.lastError ?? null,
  };
}
