import type { Kind } from "./kinds.ts";
import * as kinds from "./kinds.ts";

/** One setting. Its name gives the key in busbar.yaml, the environment variable and the flag. */
export type Setting<T = unknown> = {
  readonly name: string;
  readonly kind: Kind<T>;
  /** The default as text; parsed like any other value. Without a default the value is undefined. */
  readonly fallback: string | undefined;
  readonly about: string;
};

/** The one table of settings. Its shape is the shape of `Config`; its order is the order of the documentation. */
export const SETTINGS = {
  role: setting(
    "role",
    kinds.oneOf("gateway", "cloud"),
    "gateway",
    "Role of this process: a gateway on a site, or a cloud for many sites.",
  ),
  data: setting("data", kinds.folder, "./.busbar", "Folder for all data of Busbar."),
  host: setting(
    "host",
    kinds.host,
    "127.0.0.1",
    "Address to listen on. If it is not loopback, others can reach it: turn TLS on or put it in front.",
  ),
  port: setting("port", kinds.port, "8080", "HTTP port; 0 chooses a free one."),
  demo: setting("demo", kinds.toggle, "false", "Adds a demo site with a device per example blueprint."),
  demoHistory: setting(
    "demo_history",
    kinds.historyLength,
    "397d",
    "How much history a new demo site gets: a year and the month before it, unless you say less.",
  ),
  http: {
    headerPrefixes: setting(
      "http.header_prefixes",
      kinds.headerPrefixes,
      "X-Service,X-Enapter",
      "Accepted beginnings of the service's own headers, in addition to X-Service and X-Enapter. The pages name the first one.",
    ),
    corsOrigins: setting(
      "http.cors_origins",
      kinds.origins,
      "",
      "Origins of pages that may call the interface from a browser, such as https://app.example; * allows all.",
    ),
    trustProxy: setting(
      "http.trust_proxy",
      kinds.proxies,
      "false",
      "Reverse proxies whose X-Forwarded-For header is trusted.",
    ),
    tls: setting(
      "http.tls",
      kinds.oneOf("off", "site"),
      "off",
      "TLS by a certificate of the site's own authority, which also serves MQTT: site, or off. For a certificate of your own, set http.tls_cert and http.tls_key instead.",
    ),
    tlsCert: optional(
      "http.tls_cert",
      kinds.folder,
      "File with the certificate of HTTP and those that lead to its authority (PEM); turns TLS on. A new file is used without a restart.",
    ),
    tlsKey: optional("http.tls_key", kinds.folder, "File with the private key of that certificate (PEM)."),
    names: setting(
      "http.names",
      kinds.names,
      "",
      "Host names by which others reach HTTP; the site's own certificate contains them, and printed links the first one.",
    ),
    page: setting("http.page", kinds.toggle, "true", "Serves the web page. The interface is served in any case."),
    compress: setting(
      "http.compress",
      kinds.toggle,
      "true",
      "Compresses long answers of the interface for clients that accept gzip or zstd, except within the machine.",
    ),
    metricsPublic: setting(
      "http.metrics_public",
      kinds.toggle,
      "false",
      "Lets everyone read /metrics, not only this machine.",
    ),
    wrongTokenLimit: setting(
      "http.wrong_token_limit",
      kinds.integer(1, 1_000_000),
      "10",
      "Wrong tokens per minute that one address may send before it has to wait.",
    ),
    connectionsPerAddress: setting(
      "http.connections_per_address",
      kinds.integer(1, 10_000),
      "1024",
      "Open connections of one address; beyond that, idle ones are closed. Behind a proxy, all have the proxy's address.",
    ),
    streamsPerToken: setting(
      "http.streams_per_token",
      kinds.integer(1, 2_048),
      "64",
      "Event streams that one token may have open.",
    ),
    streamsPerAddress: setting(
      "http.streams_per_address",
      kinds.integer(1, 2_048),
      "256",
      "Event streams that one address may have open.",
    ),
  },
  log: {
    level: setting(
      "log.level",
      kinds.oneOf("trace", "debug", "info", "warn", "error", "fatal"),
      "info",
      "Lowest level of messages to log.",
    ),
    format: setting(
      "log.format",
      kinds.oneOf("auto", "pretty", "json"),
      "auto",
      "Readable lines or JSON; auto is readable on a terminal.",
    ),
  },
  admin: {
    token: optional(
      "admin.token",
      kinds.secret("text of at least 32 characters", 32),
      "Token with all rights. If it is not set, the first start creates one and writes it to admin.token in the data folder.",
    ),
  },
  seal: {
    replaceLostKey: setting(
      "seal.replace_lost_key",
      kinds.toggle,
      "false",
      "Creates a new seal.key although only the lost one opens the stored values; they have to be entered again.",
    ),
  },
  sessions: {
    lifetime: setting(
      "sessions.lifetime",
      kinds.duration,
      "30d",
      "How long a sign-in of the page lasts at most; then people sign in again.",
    ),
    idle: setting("sessions.idle", kinds.duration, "7d", "A sign-in of the page that is not used for this long ends."),
    secondFactor: setting(
      "sessions.second_factor",
      kinds.oneOf("off", "readonly", "user", "owner", "installer", "vendor"),
      "off",
      "Level from which on people need a second factor to sign in, at whatever site they have it: a code of an app, or a passkey. Who has none sets one up at the next sign-in. off: whoever wants one.",
    ),
  },
  oidc: {
    issuer: optional(
      "oidc.issuer",
      kinds.issuer,
      "OpenID provider by which people sign in to the page, exactly as it calls itself.",
    ),
    clientId: optional("oidc.client_id", kinds.text("text"), "How the provider knows this installation."),
    clientSecret: optional(
      "oidc.client_secret",
      kinds.secret("text", 1),
      "Secret by which this installation proves itself to the provider, if the provider gave one.",
    ),
    address: optional(
      "oidc.address",
      kinds.pageAddress,
      "Address of the page as people reach it. The provider sends them back to /sign-in/return there, and has to know that.",
    ),
    name: optional(
      "oidc.name",
      kinds.text("text"),
      "Name of the provider on the button; without it, the host of the issuer.",
    ),
    scopes: setting("oidc.scopes", kinds.scopes, "openid profile email", "What is asked of the provider."),
    groupsClaim: setting(
      "oidc.groups_claim",
      kinds.text("text"),
      "groups",
      "Claim in which the provider sends groups.",
    ),
    groups: setting(
      "oidc.groups",
      kinds.groupRules,
      "",
      "What groups give: GROUP=LEVEL for all sites or GROUP=LEVEL@SITE for one, by its id. A rule with a comma in it stands in double quotes, or is an item of a YAML list. The group * is everybody. Who is in no group of the list cannot sign in.",
    ),
    newPeople: setting(
      "oidc.new_people",
      kinds.toggle,
      "true",
      "Makes an account with a person's first sign-in. Otherwise only those sign in who have one by the provider already.",
    ),
    secondFactor: setting(
      "oidc.second_factor",
      kinds.signInProofs,
      "",
      "What the provider says of a sign-in in which it asked for two factors, as a list: amr=mfa, acr=gold. Then Busbar asks for no code of its own. Empty: it goes by its own alone.",
    ),
    session: setting(
      "oidc.session",
      kinds.duration,
      "12h",
      "How long a sign-in by the provider lasts at most. Groups are read again at the next one.",
    ),
  },
  backup: {
    schedule: setting(
      "backup.schedule",
      kinds.scheduleOrOff,
      "off",
      'When backups are made by themselves: hourly, daily (at 03:00), weekly, monthly, or a cron expression such as "30 2 * * *" by the clock of this machine.',
    ),
    folder: optional(
      "backup.folder",
      kinds.folder,
      "Folder of these backups, better on another disk; if it is not set, backups in the data folder.",
    ),
    keep: setting("backup.keep", kinds.integer(1, 10_000), "14", "How many of these backups are kept."),
    recipients: setting(
      "backup.recipients",
      kinds.recipients,
      "",
      "Encrypts every backup, scheduled, sent or taken by busbar backup, for the owners of these age recipients (age1...); this machine cannot read them then.",
    ),
    passphrase: optional(
      "backup.passphrase",
      kinds.secret("text of at least 12 characters", 12),
      "Encrypts every backup, scheduled, sent or taken by busbar backup, by a passphrase.",
    ),
  },
  audit: {
    retention: setting("audit.retention", kinds.duration, "90d", "How long entries of the audit log are kept."),
  },
  alerts: {
    retention: setting("alerts.retention", kinds.duration, "90d", "How long alerts are kept after they were cleared."),
    unconfirmedAfter: setting(
      "alerts.unconfirmed_after",
      kinds.duration,
      "60s",
      "An alert is UNCONFIRMED when its device sends telemetry without listing alerts for this long.",
    ),
  },
  webhooks: {
    allowPrivate: setting(
      "webhooks.allow_private",
      kinds.toggle,
      "false",
      "Lets webhooks and price sources reach this machine and private networks, not only public addresses.",
    ),
  },
  notifications: {
    pushContact: optional(
      "notifications.push_contact",
      kinds.contact,
      "Where push services of browsers reach whoever runs this installation. If it is not set, https:// and the first public name of http.names.",
    ),
  },
  blueprints: {
    profiles: optional(
      "blueprints.profiles",
      kinds.folder,
      "Folder of profiles besides those of Busbar, such as the ecosystem's. It is read at the start.",
    ),
    catalogue: optional(
      "blueprints.catalogue",
      kinds.folder,
      "Folder of blueprints that the catalogue offers besides the examples: folders with a manifest.yml, and zips.",
    ),
  },
  devices: {
    silence: setting(
      "devices.silence",
      kinds.duration,
      "30s",
      "A device without a connection of its own that sends nothing for this long is OFFLINE.",
    ),
    registerChildren: setting(
      "devices.register_children",
      kinds.toggle,
      "false",
      "Lets devices add children by themselves, by announcing them.",
    ),
  },
  logs: {
    retention: setting("logs.retention", kinds.duration, "30d", "How long device logs marked to persist are kept."),
    temporaryRetention: setting(
      "logs.temporary_retention",
      kinds.duration,
      "1d",
      "How long other device logs are kept.",
    ),
  },
  lua: {
    allow: setting(
      "lua.allow",
      kinds.reachRules,
      "",
      "Network addresses that scripts may reach. Without a rule, they reach none.",
    ),
    memoryMb: setting(
      "lua.memory_mb",
      kinds.integer(16, 65_536),
      "160",
      "Memory of all scripts together, in MiB; one script has at most 16. Half of it is for scripts up to 1 MiB.",
    ),
    ports: setting(
      "lua.ports",
      kinds.machinePorts,
      "",
      "Ports of this machine that scripts reach by name. There are no others.",
    ),
  },
  mqtt: {
    port: setting("mqtt.port", kinds.portOrOff, "1883", "Port of the embedded MQTT broker, or off."),
    tlsPort: setting(
      "mqtt.tls_port",
      kinds.portOrOff,
      "off",
      "TLS port of the embedded MQTT broker, or off. Its authority and certificates are created in the data folder.",
    ),
    names: setting(
      "mqtt.names",
      kinds.names,
      "",
      "Host names of the broker; generated configs contain the first one. Without any, they contain the name that the caller used.",
    ),
    messageRate: setting(
      "mqtt.message_rate",
      kinds.integer(1, 1_000_000),
      "1000",
      "Messages a second that one device may send; beyond that, they are read more slowly.",
    ),
    clientId: optional(
      "mqtt.client_id",
      kinds.text("text"),
      "Client id at an external broker; every installation needs its own. Nodes that share a database have the same.",
    ),
    sessions: setting(
      "mqtt.sessions",
      kinds.integer(1, 256),
      "8",
      "In how many sessions nodes that share a database take the messages of an external broker; at least as many as nodes. All nodes need the same number.",
    ),
    url: optional(
      "mqtt.url",
      kinds.brokerAddress,
      "External MQTT broker to use instead of the embedded one; several servers of a cluster with commas. RabbitMQ: its amqp:// address.",
    ),
  },
  database: {
    url: optional(
      "database.url",
      kinds.databaseAddress,
      "PostgreSQL to use instead of the embedded store; several servers with commas, of which one is the primary.",
    ),
    readUrl: optional(
      "database.read_url",
      kinds.secretUrl("postgres://", "postgresql://"),
      "Server that follows that PostgreSQL: sealed telemetry is read from it as long as it has come far enough.",
    ),
    allowLoss: setting(
      "database.allow_loss",
      kinds.toggle,
      "false",
      "Accepts a PostgreSQL whose settings allow it to lose commits that it has acknowledged.",
    ),
  },
  cloud: {
    url: optional(
      "cloud.url",
      kinds.url("https://", "http://", "wss://", "ws://"),
      "Cloud that a gateway connects to.",
    ),
    token: optional(
      "cloud.token",
      kinds.secret("text", 1),
      "Code that the cloud made, with which a gateway joins at its first start; it works once.",
    ),
  },
  link: {
    offlineAccess: setting(
      "link.offline_access",
      kinds.durationOrOff,
      "1d",
      "How long tokens of the cloud are accepted on a gateway while the two are not connected; off: not at all.",
    ),
    allowLocal: setting(
      "link.allow_local",
      kinds.toggle,
      "false",
      "Lets a gateway join a cloud on its own machine or link. The cloud of cloud.url may always be there.",
    ),
    credentialLifetime: setting(
      "link.credential_lifetime",
      kinds.duration,
      "30d",
      "How old the credential of a gateway becomes before the gateway replaces it.",
    ),
    maxSites: setting(
      "link.max_sites",
      kinds.integer(1, 100_000),
      "100",
      "How many sites one gateway may have in this cloud. Further ones are refused.",
    ),
    maxDevices: setting(
      "link.max_devices",
      kinds.integer(1, 1_000_000),
      "10000",
      "How many devices one gateway may have in this cloud. Further ones are refused.",
    ),
    maxSeries: setting(
      "link.max_series",
      kinds.integer(1, 10_000_000),
      "50000",
      "How many series, that is attributes of its devices, one gateway may have in this cloud. Values of further ones are left out.",
    ),
  },
  commands: {
    responseTimeout: setting(
      "commands.response_timeout",
      kinds.duration,
      "30s",
      "An execution without any response for this long becomes TIMEOUT.",
    ),
    waitLimit: setting(
      "commands.wait_limit",
      kinds.duration,
      "60s",
      "The longest time that an execute call waits for the end of the execution.",
    ),
  },
  tracing: {
    otlpEndpoint: optional(
      "tracing.otlp_endpoint",
      kinds.url("http://", "https://"),
      "Collector of OpenTelemetry that spans are sent to, by OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT says the same. Without it, traces of callers are only passed on.",
    ),
  },
  telemetry: {
    retention: setting(
      "telemetry.retention",
      kinds.retention,
      "unlimited",
      "How long telemetry is kept, unless a site has its own rule.",
    ),
    maxSize: setting(
      "telemetry.max_size",
      kinds.sizeOrUnlimited,
      "unlimited",
      "How much of the disk telemetry may take on the embedded store. Beyond that the oldest is deleted.",
    ),
    sealAfter: setting(
      "telemetry.seal_after",
      kinds.duration,
      "15m",
      "How long an hour stays open in memory after its end. Later points need a rewrite on disk.",
    ),
    maxOpenPoints: setting(
      "telemetry.max_open_points",
      kinds.integer(10_000, 1_000_000_000),
      "1000000",
      "Points kept open in memory, 12 to 24 bytes each; beyond that, the oldest hours are sealed early.",
    ),
    readers: setting("telemetry.readers", kinds.integer(1, 64), "2", "Threads that answer time-series queries."),
    bucketCacheMb: setting(
      "telemetry.bucket_cache_mb",
      kinds.integer(0, 4_096),
      "32",
      "Megabytes of finished buckets and of short answers that are kept for the next query on the embedded store; 0: every bucket is computed again.",
    ),
    forgetDamaged: setting(
      "telemetry.forget_damaged",
      kinds.toggle,
      "false",
      "For one start: deletes the points that were damaged before they were sealed, so that /readyz no longer lists them.",
    ),
    replaceLost: setting(
      "telemetry.replace_lost",
      kinds.toggle,
      "false",
      "For one start: begins new telemetry although telemetry.db of this installation is missing or empty; all earlier points are lost.",
    ),
  },
} as const;

/** The values of a table of settings, in its shape. */
export type ConfigOf<T> = T extends Setting<infer V> ? V : { readonly [K in keyof T]: ConfigOf<T[K]> };

export const settingList: readonly Setting[] = list(SETTINGS);

/** `commands.response_timeout` is BUSBAR_COMMANDS_RESPONSE_TIMEOUT. */
export function environmentName(setting: Setting): string {
  return `BUSBAR_${setting.name.replaceAll(".", "_").toUpperCase()}`;
}

/** `commands.response_timeout` is --commands-response-timeout. Secrets have no flag. */
export function flagName(setting: Setting): string | undefined {
  return setting.kind.secret ? undefined : `--${setting.name.replaceAll(/[._]/g, "-")}`;
}

/** Builds the value of every setting into the shape of the table. */
export function parseConfig(read: (setting: Setting) => unknown): ConfigOf<typeof SETTINGS> {
  const build = (node: object): unknown =>
    isSetting(node) ? read(node) : Object.fromEntries(Object.entries(node).map(([key, part]) => [key, build(part)]));
  return build(SETTINGS) as ConfigOf<typeof SETTINGS>;
}

function setting<T>(name: string, kind: Kind<T>, fallback: string, about: string): Setting<T> {
  return { name, kind, fallback, about };
}

function optional<T>(name: string, kind: Kind<T>, about: string): Setting<T | undefined> {
  return { name, kind, fallback: undefined, about };
}

function isSetting(node: object): node is Setting {
  return "kind" in node;
}

function list(node: object): Setting[] {
  return isSetting(node) ? [node] : Object.values(node).flatMap(list);
}
