// The only file that wires things together: settings -> store -> use cases -> routes -> server.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { uuidv7 } from "uuidv7";
import type { Config } from "#config";
import { toMilliseconds } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import { createRoutes } from "#http/routes.ts";
import { createServer } from "#http/server.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { prepareAdminToken } from "#role/admin-token.ts";
import { provisionDemo } from "#role/demo.ts";
import { ensureFirstSite } from "#role/first-site.ts";
import { repeat } from "#role/repeat.ts";
import { createInspector } from "#runtime/inspect/create-inspector.ts";
import { createAuthenticator } from "#service/access/authenticator.ts";
import { createBlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { Call } from "#service/ports.ts";
import { openRecords } from "#store/sqlite/open-records.ts";

const FLUSH_EVERY_MS = 15_000;
const PRUNE_EVERY_MS = 3_600_000;

export interface Running {
  readonly url: string;
  /** Where the admin token is; undefined when the settings gave it. */
  readonly tokenFile: string | undefined;
  stop(): Promise<void>;
}

export const VERSION = readVersion();

export async function start(config: Config, log: Logger, onFault: (error: Error) => void): Promise<Running> {
  refuseUnavailable(config);
  const records = await openRecords(config.data, onFault);
  try {
    return await startOn(records, { config, log });
  } catch (error) {
    await records.close();
    throw error;
  }
}

async function startOn(
  records: Awaited<ReturnType<typeof openRecords>>,
  { config, log }: { readonly config: Config; readonly log: Logger },
): Promise<Running> {
  const inspector = createInspector();
  const base = {
    sites: records.sites,
    devices: records.devices,
    blueprints: records.blueprints,
    tokens: records.tokens,
    audit: records.audit,
    inspectPackage: inspector.inspect,
    profiles: starterLibrary(),
    now: () => instant(Date.now()),
    newId: uuidv7,
    randomBytes: (length: number) => randomBytes(length),
    log,
  };
  const admin = await prepareAdminToken(base, config.data, config.admin.token);
  const authenticator = createAuthenticator(base, admin.record);
  const needs = { ...base, authenticator, catalog: createBlueprintCatalog(base) };
  if (config.role === "gateway") {
    const { siteId, isNew } = await ensureFirstSite(needs, BOOTSTRAP, config.demo ? "Demo site" : "My site");
    if (config.demo && isNew) await provisionDemo(needs, BOOTSTRAP, siteId);
  }

  const headerPrefix = config.http.headerPrefixes[0] ?? "X-Service";
  const routes = createRoutes(needs, {
    about: { version: VERSION, role: config.role, headerPrefix },
    mqttPort: config.mqtt.port === "off" ? undefined : config.mqtt.port,
    checkReady: async () => {
      await records.sites.list("all", { limit: 0, offset: 0 });
    },
  });
  const server = await createServer(needs, config.http, routes);
  const { port } = await server.listen(config.port, config.host);
  const chores = [
    repeat(log, { name: "note token uses", everyMs: FLUSH_EVERY_MS, task: () => authenticator.flushUses() }),
    repeat(log, {
      name: "prune audit log",
      everyMs: PRUNE_EVERY_MS,
      task: async () => {
        const before = instant(Date.now() - toMilliseconds(config.audit.retention));
        while ((await records.audit.prune(before)) > 0);
      },
    }),
  ];
  return {
    url: `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`,
    tokenFile: admin.file,
    async stop() {
      await server.stop();
      for (const chore of chores) await chore.stop();
      await authenticator.flushUses();
      await inspector.close();
      await records.close();
    },
  };
}

/** Changes that the program makes by itself at its first start. */
const BOOTSTRAP: Call = {
  caller: { tokenId: "bootstrap", tokenName: "first start", level: "system", sites: "all" },
  operation: "firstStart",
  requestId: "first-start",
  remoteAddress: "local",
};

/** A setting that this version cannot honour must not look as if it did. */
function refuseUnavailable(config: Config): void {
  const asked = [
    config.database.url !== undefined && "database.url (PostgreSQL)",
    config.mqtt.url !== undefined && "mqtt.url (an outside broker)",
    config.cloud.url !== undefined && "cloud.url (the link to a cloud)",
  ].filter((name) => name !== false);
  if (asked.length > 0) throw new Error(`this version of Busbar does not have ${asked.join(", ")} yet; leave it unset`);
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
