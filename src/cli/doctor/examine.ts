// What `busbar doctor` looks at. Each check stands alone: one that cannot be made is a finding, too.
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { confirmTimezoneCommand } from "#cli/confirm-timezone.ts";
import { describeFailure } from "#cli/describe-failure.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { ApiError, UnreachableError } from "#client/errors.ts";
import { type Config, loadConfig } from "#config";
import { requireBrokerAddress } from "#core/net/broker-address.ts";
import { requireDatabaseAddress } from "#core/net/database-address.ts";
import { examineCertificates } from "./examine-certificates.ts";
import { examineDevices } from "./examine-devices.ts";
import { examinePorts, reachPort } from "./examine-ports.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const NEEDED_NODE = 24;
const MB = 1024 * 1024;
const DAY = 86_400_000;

export async function examine(cli: Cli, flags: ClientFlags): Promise<readonly Finding[]> {
  const findings: Finding[] = [examineNode()];
  const loaded = await loadConfig({ flags: [], env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent }).catch(
    (error: unknown) => {
      const advice = "correct it; busbar config shows each setting and where it came from";
      findings.push(failed("configuration", describeFailure(error).lines.join("; "), advice));
      return undefined;
    },
  );
  if (loaded === undefined) return findings;
  const { config, file } = loaded;
  findings.push(ok("configuration", file ?? "defaults and environment; there is no busbar.yaml here"));
  findings.push(...examineFolder(config), examineDisk(config), examineClock(config));
  const server = await examineServer(cli, flags, config);
  findings.push(...server.findings);
  if (server.isLocal) findings.push(...(await examinePorts(config, server.isReady)));
  if (config.mqtt.url !== undefined) findings.push(...(await reachBroker(config.mqtt.url.reveal())));
  if (config.database.url !== undefined) {
    findings.push(...(await reachDatabase(config.database.url.reveal())));
  }
  if (config.database.readUrl !== undefined) {
    findings.push(await reach("database copy", config.database.readUrl.reveal(), "database.read_url"));
  }
  findings.push(...examineCertificates(config), examineBackup(config));
  return findings;
}

function examineNode(): Finding {
  const { node } = process.versions;
  return Number(node.split(".")[0]) >= NEEDED_NODE
    ? ok("node", `Node ${node}`)
    : failed("node", `Node ${node}`, `install Node ${NEEDED_NODE} or newer`);
}

function examineFolder({ data, database }: Config): readonly Finding[] {
  if (!existsSync(data)) {
    const advice = "the first start makes it; for another folder, set data or BUSBAR_DATA";
    return [warning("data folder", `${data} is not there yet`, advice)];
  }
  const findings: Finding[] = [];
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
    findings.push(ok("data folder", data));
  } catch {
    findings.push(failed("data folder", `this user may not use ${data}`, "run it as the user that owns the folder"));
  }
  const open = ["", "records.db", "telemetry.db", "lock.db", "installation.json", "seal.key", "admin.token"]
    .map((name) => join(data, name))
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  findings.push(
    open.length === 0
      ? ok("permissions", "keys and records are for their owner alone")
      : failed("permissions", `others may read ${open.join(", ")}`, `chmod go= ${open.join(" ")}`),
  );
  if (database.url === undefined && existsSync(join(data, "records.db")) && !existsSync(join(data, "seal.key"))) {
    findings.push(failed("keys", "seal.key is missing", "restore it from a backup: without it sealed values are lost"));
  }
  return findings;
}

function examineDisk({ data }: Config): Finding {
  let folder = data;
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const { bavail, blocks, bsize } = statfsSync(folder);
  const [free, share] = [bavail * bsize, bavail / Math.max(1, blocks)];
  const found = `${Math.floor(free / MB)} MiB free, ${Math.floor(share * 100)} %`;
  const advice = "make room, or set telemetry.retention; below 16 MiB only commands are stored";
  if (free < 64 * MB) return failed("disk", found, advice);
  return free < 1024 * MB || share < 0.05 ? warning("disk", found, advice) : ok("disk", found);
}

function examineClock({ data }: Config): Finding {
  const files = ["records.db", "records.db-wal", "telemetry.db", "telemetry.db-wal"];
  const last = Math.max(0, ...files.map((name) => statSync(join(data, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
  const now = Date.now();
  const found = new Date(now).toISOString();
  if (last <= now + 60_000) return ok("clock", found);
  return failed("clock", `${found}, but data was written at ${new Date(last).toISOString()}`, "set the clock; use NTP");
}

interface FoundServer {
  readonly findings: readonly Finding[];
  /** The settings are of this machine, the server perhaps of another one. */
  readonly isLocal: boolean;
  readonly isReady: boolean;
}

async function examineServer(cli: Cli, flags: ClientFlags, config: Config): Promise<FoundServer> {
  let isLocal = false;
  try {
    const { client, url, connection } = await openSession(cli, { ...flags, timeout: "10s" });
    isLocal = connection === undefined && flags.url === undefined && !cli.env["BUSBAR_URL"];
    try {
      const { degraded = [] } = (await client.ready()) as { degraded?: readonly { part: string; message: string }[] };
      const findings = degraded.map(({ part, message }) => failed(part, message, "the log of Busbar has the details"));
      findings.unshift(ok("server", `${url.host} is ready`));
      findings.push(await examineSites(client));
      if (config.role === "gateway") findings.push(await examineLink(client), ...(await examineDevices(client)));
      return { findings, isLocal, isReady: true };
    } catch (error) {
      if (!(error instanceof UnreachableError) || error.reason !== "refused") throw error;
      const advice = "start it with busbar serve, or give its address with --url";
      const findings = [warning("server", `nothing listens on ${url.host}: Busbar does not run`, advice)];
      return { findings, isLocal, isReady: false };
    }
  } catch (error) {
    const [found = "", ...lines] = describeFailure(error).lines;
    const advice = lines.map((line) => line.trim()).join("; ") || "look at the log of Busbar";
    return { findings: [failed("server", found, advice)], isLocal, isReady: false };
  }
}

type Client = Awaited<ReturnType<typeof openSession>>["client"];

const MOST_SITES = 1_000;

/** Days, and energies by day, follow the time zone of a site: one that nobody chose is most likely wrong. */
async function examineSites(client: Client): Promise<Finding> {
  try {
    const { sites } = await client.sites.list({ limit: MOST_SITES });
    const assumed = sites.filter(({ timezone_assumed }) => timezone_assumed === true);
    const [first] = assumed;
    if (first === undefined) return ok("sites", "every site has a time zone that somebody confirmed");
    const named = assumed.map(({ name, timezone }) => `"${name}" (${timezone})`).join(", ");
    return warning("sites", `nobody has confirmed the time zone of ${named}`, confirmTimezoneCommand(first));
  } catch (error) {
    const [found = ""] = describeFailure(error).lines;
    return warning("sites", found, "give a token with --token-file");
  }
}

async function examineLink({ uplink }: Client): Promise<Finding> {
  try {
    const { url, connected, since, backlog } = await uplink.get();
    if (connected) return ok("link", `connected to ${url} since ${since}, ${backlog} changes wait`);
    return failed("link", `not connected to ${url} since ${since}`, "busbar gateway status says why");
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return ok("link", "this gateway has joined no cloud");
    const [found = ""] = describeFailure(error).lines;
    return warning("link", found, "give a token of level owner with --token-file");
  }
}

async function reachBroker(address: string): Promise<readonly Finding[]> {
  const { servers } = requireBrokerAddress(address);
  return await Promise.all(servers.map((server) => reachServer("broker", server, "mqtt.url")));
}

async function reachDatabase(address: string): Promise<readonly Finding[]> {
  const { servers } = requireDatabaseAddress(address);
  return await Promise.all(servers.map(({ url }) => reach("database", url, "database.url")));
}

/** Whether the port is in use. The server log says by what. */
async function reach(check: string, address: string, setting: string): Promise<Finding> {
  const { hostname, port } = new URL(address);
  return await reachServer(check, { host: hostname.replaceAll(/[[\]]/g, ""), port: Number(port) || 5432 }, setting);
}

async function reachServer(
  check: string,
  { host, port }: { readonly host: string; readonly port: number },
  setting: string,
): Promise<Finding> {
  const named = `${host}:${port}`;
  const problem = await reachPort(host, port);
  return problem === undefined
    ? ok(check, `${named} accepts connections`)
    : failed(check, `${named}: ${problem}`, `start it, or correct ${setting}`);
}

function examineBackup({ data, backup }: Config): Finding {
  const advice = "take one with busbar backup, and set backup.schedule";
  const text = readFileIfPresent(join(data, "last-backup.json"));
  const at = text === undefined ? undefined : Number((JSON.parse(text) as { at?: unknown }).at);
  if (at === undefined || !Number.isFinite(at)) return warning("backup", "there is none", advice);
  const days = (Date.now() - at) / DAY;
  const found = `the last one was taken at ${new Date(at).toISOString()}`;
  if (days > 8) return warning("backup", found, advice);
  return backup.schedule === "off" ? warning("backup", `${found}; there is no schedule`, advice) : ok("backup", found);
}
