import { basename, resolve } from "node:path";
import type { Source } from "./config/given.ts";
import type { Shown } from "./config/kinds.ts";
import { type Environment, readEnvironment } from "./config/read-environment.ts";
import { readFile } from "./config/read-file.ts";
import { readFlags } from "./config/read-flags.ts";
import { type ConfigOf, parseConfig, type SETTINGS, type Setting, settingList } from "./config/settings.ts";

/** Every setting with its value, parsed and complete. The shape is that of the table of settings. */
export type Config = ConfigOf<typeof SETTINGS> & {
  /** The configuration file, which backups keep; undefined if there was none. */
  readonly file?: string | undefined;
  /** Each setting by its name, as it may be printed. */
  readonly shown?: ReadonlyMap<string, Shown> | undefined;
};

/** One line of `busbar config`: it holds no secret. */
export type ConfigEntry = { readonly name: string; readonly value: Shown | null; readonly origin: string };

type ConfigInput = {
  /** Arguments as typed, for example `["--port", "9000"]`. */
  readonly flags: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Text of a file, or undefined when there is none. */
  readonly readFile: (path: string) => string | undefined;
};

/** Everything that is wrong with the configuration, at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `the configuration has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

interface Loaded {
  readonly config: Config;
  readonly origins: readonly ConfigEntry[];
  /** The configuration file that was read, if there was one. */
  readonly file: string | undefined;
}

/** Flags win over the environment, that over busbar.yaml, that over the defaults. Throws `ConfigError`. */
export async function loadConfig(input: ConfigInput): Promise<Loaded> {
  const flags = readFlags(input.flags);
  const environment = readEnvironment(input.env);
  const file = await openFile(input, flags.file);
  const problems = [...flags.problems, ...environment.problems, ...file.problems];

  const values = new Map<Setting, unknown>();
  const entries = new Map<Setting, ConfigEntry>();
  const take = (setting: Setting, text: string, origin: string): void => {
    const parsed = setting.kind.parse(text, input.cwd);
    if ("problem" in parsed) {
      problems.push(`${origin}: ${setting.name} ${parsed.problem}`);
      return;
    }
    values.set(setting, parsed.value);
    entries.set(setting, { name: setting.name, value: parsed.shown, origin });
  };
  // From the weakest source to the strongest. A value that another one covers is still checked: it is wrong all the same.
  for (const setting of settingList) {
    if (setting.fallback !== undefined) take(setting, setting.fallback, "default");
    else entries.set(setting, { name: setting.name, value: null, origin: "not set" });
  }
  for (const { setting, text, origin } of [...file.given, ...environment.given, ...flags.given])
    take(setting, text, origin);

  const config = parseConfig((setting) => values.get(setting));
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  const origins = [...entries.values()];
  const shown = new Map(origins.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const])));
  return { config: { ...config, shown }, origins, file: file.path };
}

async function openFile(
  input: ConfigInput,
  flag: string | undefined,
): Promise<Source & { readonly path?: string | undefined }> {
  const named = flag ?? (input.env["BUSBAR_CONFIG"] || undefined);
  const path = resolve(input.cwd, named ?? "busbar.yaml");
  const text = input.readFile(path);
  if (text !== undefined) return { ...(await readFile(text, named ?? basename(path))), path };
  const origin = flag === undefined ? "environment BUSBAR_CONFIG" : "flag --config";
  return { given: [], problems: named === undefined ? [] : [`${origin}: there is no file ${path}`] };
}

function contradictions({ role, cloud, mqtt, port, backup, http, oidc }: ConfigOf<typeof SETTINGS>): string[] {
  const found: string[] = [];
  if (oidc.issuer !== undefined) {
    for (const [name, value] of [
      ["client_id", oidc.clientId],
      ["address", oidc.address],
    ] as const)
      if (value === undefined) found.push(`oidc.issuer needs oidc.${name}`);
    if (oidc.groups.length === 0) found.push("oidc.issuer needs oidc.groups: without a rule nobody can sign in by it");
  }
  if (backup.passphrase !== undefined && backup.recipients.length > 0)
    found.push("backup.passphrase and backup.recipients exclude each other: age encrypts by one of them");
  if ((http.tlsCert === undefined) !== (http.tlsKey === undefined))
    found.push("http.tls_cert and http.tls_key need each other: the certificate and its key");
  if (http.tls === "site" && http.tlsCert !== undefined)
    found.push("http.tls: site and http.tls_cert exclude each other: a server has one certificate");
  if (role === "cloud" && cloud.url !== undefined) found.push("cloud.url is for a gateway, but role is cloud");
  if (cloud.url !== undefined && cloud.token === undefined)
    found.push("cloud.url needs cloud.token (BUSBAR_CLOUD_TOKEN)");
  if (cloud.token !== undefined && cloud.url === undefined)
    found.push("cloud.token needs cloud.url (BUSBAR_CLOUD_URL)");
  if (port !== 0 && mqtt.port === port && mqtt.url === undefined) found.push(`port and mqtt.port are both ${port}`);
  return found;
}
