import { nearestOf } from "#core/text/nearest.ts";
import { didYouMean, type Given, type Source } from "./given.ts";
import { environmentName, SETTINGS, settingList } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that are not settings of the service: the client's own, the file's name, and switches of the tests. */
const OTHERS = [
  "BUSBAR_CONFIG",
  "BUSBAR_URL",
  "BUSBAR_CA",
  "BUSBAR_CONNECTION",
  "BUSBAR_TOKEN",
  "BUSBAR_TOKEN_FILE",
  "BUSBAR_LONG",
  "BUSBAR_FAILPOINT",
];
/** What programs with OpenTelemetry call it. */
const KNOWN_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const OTHERS_BEGIN = "BUSBAR_TEST_";

/** An empty variable counts as not set, as compose files and service units often pass it. */
export function readEnvironment(env: Environment): Source {
  const given: Given[] = [];
  const problems: string[] = [];
  // Weaker than the variable of our own name, so it comes first.
  const known = BY_NAME.get(environmentName(SETTINGS.tracing.otlpEndpoint));
  const endpoint = env[KNOWN_ENDPOINT];
  if (known !== undefined && endpoint)
    given.push({ setting: known, text: endpoint, origin: `environment ${KNOWN_ENDPOINT}` });
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("BUSBAR_") || text === undefined || text === "") continue;
    if (OTHERS.includes(name) || name.startsWith(OTHERS_BEGIN)) continue;
    const setting = BY_NAME.get(name);
    const origin = `environment ${name}`;
    if (setting !== undefined) given.push({ setting, text, origin });
    else problems.push(`${origin}: unknown${didYouMean(nearestOf(name, [...BY_NAME.keys(), ...OTHERS]))}`);
  }
  return { given, problems };
}

const BY_NAME = new Map(settingList.map((setting) => [environmentName(setting), setting]));
