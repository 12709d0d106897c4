import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseDuration } from "#core/time/duration.ts";
import { settingList } from "./config/settings.ts";
import { settingsTable } from "./config/settings-table.ts";
import { ConfigError, loadConfig } from "./config.ts";

type Given = {
  readonly flags?: string;
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
};

/** Flags in one line, environment and files by name. The working directory is /site. */
function load({ flags = "", env = {}, files = {} }: Given) {
  const found = new Map(Object.entries(files));
  return loadConfig({
    flags: flags.split(" ").filter((word) => word !== ""),
    env,
    cwd: "/site",
    readFile: (path) => found.get(path.replace("/site/", "")),
  });
}

async function problemsOf(given: Given): Promise<readonly string[]> {
  const failure = await load(given).then(
    () => undefined,
    (error: unknown) => error,
  );
  return failure instanceof ConfigError ? failure.problems : [`no problem, but ${failure}`];
}

const yaml = (text: string) => ({ files: { "busbar.yaml": text } });
const TOKEN = "canary-canary-canary-canary-canary";

test("without any source every setting has its documented default", async () => {
  const {
    config: { shown, ...config },
    origins,
  } = await load({});
  expect(shown?.get("telemetry.retention")).toBe("unlimited");
  expect(config).toEqual({
    role: "gateway",
    data: "/site/.busbar",
    host: "127.0.0.1",
    port: 8080,
    demo: false,
    demoHistory: 397n * 86_400_000_000_000n,
    http: {
      headerPrefixes: ["X-Service", "X-Enapter"],
      corsOrigins: [],
      trustProxy: false,
      tls: "off",
      tlsCert: undefined,
      tlsKey: undefined,
      names: [],
      page: true,
      compress: true,
      metricsPublic: false,
      wrongTokenLimit: 10,
      connectionsPerAddress: 1024,
      streamsPerToken: 64,
      streamsPerAddress: 256,
    },
    link: {
      offlineAccess: 86_400_000_000_000n,
      allowLocal: false,
      credentialLifetime: 2_592_000_000_000_000n,
      maxSites: 100,
      maxDevices: 10_000,
      maxSeries: 50_000,
    },
    log: { level: "info", format: "auto" },
    admin: { token: undefined },
    seal: { replaceLostKey: false },
    blueprints: { profiles: undefined, catalogue: undefined },
    sessions: { lifetime: parseDuration("30d"), idle: parseDuration("7d"), secondFactor: "off" },
    backup: { schedule: "off", folder: undefined, keep: 14, recipients: [], passphrase: undefined },
    audit: { retention: parseDuration("90d") },
    alerts: { retention: parseDuration("90d"), unconfirmedAfter: parseDuration("60s") },
    webhooks: { allowPrivate: false },
    notifications: { pushContact: undefined },
    devices: { silence: parseDuration("30s"), registerChildren: false },
    oidc: {
      ...{ issuer: undefined, clientId: undefined, clientSecret: undefined, address: undefined, name: undefined },
      ...{ scopes: "openid profile email", groupsClaim: "groups", groups: [], newPeople: true, secondFactor: [] },
      session: parseDuration("12h"),
    },
    logs: { retention: parseDuration("30d"), temporaryRetention: parseDuration("1d") },
    lua: { allow: [], memoryMb: 160, ports: [] },
    mqtt: {
      port: 1883,
      tlsPort: "off",
      names: [],
      messageRate: 1000,
      clientId: undefined,
      sessions: 8,
      url: undefined,
    },
    database: { url: undefined, readUrl: undefined, allowLoss: false },
    cloud: { url: undefined, token: undefined },
    commands: { responseTimeout: parseDuration("30s"), waitLimit: parseDuration("60s") },
    tracing: { otlpEndpoint: undefined },
    telemetry: {
      retention: "unlimited",
      maxSize: Number.POSITIVE_INFINITY,
      sealAfter: parseDuration("15m"),
      maxOpenPoints: 1_000_000,
      readers: 2,
      bucketCacheMb: 32,
      forgetDamaged: false,
      replaceLost: false,
    },
  });
  expect(new Set(origins.map((entry) => entry.origin))).toEqual(new Set(["default", "not set"]));
  expect(origins.map((entry) => entry.name)).toEqual(settingList.map((setting) => setting.name));
});

test.each<[Given, number, string]>([
  [{}, 8080, "default"],
  [yaml("port: 1"), 1, "busbar.yaml line 1"],
  [{ ...yaml("# first\n\nport: 1"), env: { BUSBAR_PORT: "2" } }, 2, "environment BUSBAR_PORT"],
  [{ ...yaml("port: 1"), env: { BUSBAR_PORT: "2" }, flags: "--port 3" }, 3, "flag --port"],
  [{ ...yaml("port: 1"), env: { BUSBAR_PORT: "" } }, 1, "busbar.yaml line 1"],
  [{ env: { BUSBAR_CONFIG: "other.yaml" }, files: { "other.yaml": "\nport: 4" } }, 4, "other.yaml line 2"],
  [{ flags: "--config=o.yaml", env: { BUSBAR_CONFIG: "x" }, files: { "o.yaml": "port: 5" } }, 5, "o.yaml line 1"],
  [{ flags: "--port=6 --port 7" }, 7, "flag --port"],
])("of %j the port is %d from %s", async (given, port, origin) => {
  const { config, origins } = await load(given);
  expect(config.port).toBe(port);
  expect(origins.find((entry) => entry.name === "port")?.origin).toBe(origin);
});

test("a file may nest settings or write them with dots", async () => {
  const nested = await load(yaml("http:\n  metrics_public: true\n  header_prefixes: [X-A, X-B]\nmqtt:\n  port: off\n"));
  const dotted = await load(yaml('http.metrics_public: "true"\nhttp.header_prefixes: X-A, X-B\nmqtt.port: "off"\n'));
  expect(nested.config).toEqual(dotted.config);
  expect(nested.config.http.headerPrefixes).toEqual(["X-A", "X-B"]);
  expect(nested.config.mqtt.port).toBe("off");
});

test.each<[string, string]>([
  ["", "an empty file"],
  ["# nothing", "a file of comments"],
  ["http:\nport:\n", "keys without a value"],
])("%j sets nothing", async (text) => {
  expect((await load(yaml(text))).config).toEqual((await load({})).config);
});

test.each<[string, unknown]>([
  ["--demo", true],
  ["--demo=false", false],
  ["--no-demo", false],
  ["--demo --port 1", true],
])("%s sets demo to %s", async (flags, expected) => {
  expect((await load({ flags })).config.demo).toBe(expected);
});

test.each<[string, unknown]>([
  ["true", true],
  ["false", false],
  ["10.0.0.0/8,::1", ["10.0.0.0/8", "::1"]],
])("http.trust_proxy %s is read as %j", async (text, expected) => {
  expect((await load({ env: { BUSBAR_HTTP_TRUST_PROXY: text } })).config.http.trustProxy).toEqual(expected);
});

test.each<[Given, readonly string[]]>([
  [{ flags: "--port x" }, ['flag --port: port must be a whole number from 0 to 65535, not "x"']],
  [{ flags: "--port" }, ["flag --port: needs a value"]],
  [{ flags: "--port --demo" }, ["flag --port: needs a value"]],
  [{ flags: "--no-demo=1" }, ["flag --no-demo: takes no value"]],
  [{ flags: "--prot 9" }, ["flag --prot: unknown, did you mean --port?"]],
  [{ flags: "--zzzzzz 9" }, ["flag --zzzzzz: unknown"]],
  [{ flags: "9000" }, ["argument 9000: not expected here, settings are given as --name value"]],
  [{ flags: "--config no.yaml" }, ["flag --config: there is no file /site/no.yaml"]],
  [{ env: { BUSBAR_CONFIG: "no.yaml" } }, ["environment BUSBAR_CONFIG: there is no file /site/no.yaml"]],
  [{ env: { BUSBAR_PROT: "1" } }, ["environment BUSBAR_PROT: unknown, did you mean BUSBAR_PORT?"]],
  [{ env: { BUSBAR_TOKEN_FIEL: "1" } }, ["environment BUSBAR_TOKEN_FIEL: unknown, did you mean BUSBAR_TOKEN_FILE?"]],
  [yaml("prot: 1"), ["busbar.yaml line 1: prot is unknown, did you mean port?"]],
  [
    yaml("http:\n  metric_public: true"),
    ["busbar.yaml line 2: http.metric_public is unknown, did you mean http.metrics_public?"],
  ],
  [
    yaml("constructor: 1\n__proto__: 2"),
    ["busbar.yaml line 1: constructor is unknown", "busbar.yaml line 2: __proto__ is unknown"],
  ],
  [yaml("http: 3"), ["busbar.yaml line 1: http is a group of settings, write them below it"]],
  [yaml("port: {a: 1}"), ["busbar.yaml line 1: port must be a plain value or a list of plain values"]],
  [yaml("- port"), ["busbar.yaml: must be a map of settings"]],
  [yaml("port: 1\nport: 2"), ["busbar.yaml line 2: port is set twice, first in busbar.yaml line 1"]],
  [yaml("port: 99999"), ['busbar.yaml line 1: port must be a whole number from 0 to 65535, not "99999"']],
  [yaml("port: 1e3"), ['busbar.yaml line 1: port must be a whole number from 0 to 65535, not "1e3"']],
  [yaml("lua.ports: [a=can:can0, a=can:can1]"), ["busbar.yaml line 1: lua.ports names the port a twice"]],
  [
    yaml("lua.ports: [a=can:can0?device=x, a=can:can1, a=can:can2?device=x]"),
    ["busbar.yaml line 1: lua.ports names the port a twice for the device x"],
  ],
  [yaml("lua.ports: a=can:/x"), [expect.stringContaining('lua.ports has "a=can:/x"')]],
  [{ flags: "--lua-allow 10.0.0.5/99" }, [expect.stringContaining('flag --lua-allow: lua.allow has "10.0.0.5/99"')]],
  [{ flags: "--role gatway" }, ['flag --role: role must be one of gateway, cloud, not "gatway"']],
  [
    { flags: "--host http://x" },
    ['flag --host: host must be an address or a host name without scheme or port, not "http://x"'],
  ],
  [{ flags: "--audit-retention 0s" }, ['flag --audit-retention: audit.retention must be longer than zero, not "0s"']],
  [
    { flags: "--audit-retention 1,5m" },
    ['flag --audit-retention: audit.retention must be a duration such as 30s, 1.5m or 2h45m, not "1,5m"'],
  ],
  [
    { flags: "--http-header-prefixes X-" },
    [
      'flag --http-header-prefixes: http.header_prefixes has "X-", which cannot start a header name (leave the last dash out)',
    ],
  ],
  [
    { flags: "--http-header-prefixes X-A,x-a" },
    ['flag --http-header-prefixes: http.header_prefixes names a prefix twice: "X-A,x-a"'],
  ],
  [
    { flags: "--http-trust-proxy 10.0.0.0/33" },
    [
      'flag --http-trust-proxy: http.trust_proxy must be true, false, or addresses and ranges such as 10.0.0.0/8, not "10.0.0.0/33"',
    ],
  ],
  [{ flags: "--cloud-url https://c" }, ["cloud.url needs cloud.token (BUSBAR_CLOUD_TOKEN)"]],
  [{ env: { BUSBAR_CLOUD_TOKEN: "t" } }, ["cloud.token needs cloud.url (BUSBAR_CLOUD_URL)"]],
  [
    { flags: "--cloud-url https://c --role cloud", env: { BUSBAR_CLOUD_TOKEN: "t" } },
    ["cloud.url is for a gateway, but role is cloud"],
  ],
  [
    { flags: "--oidc-issuer https://id.example/" },
    [
      "oidc.issuer needs oidc.client_id",
      "oidc.issuer needs oidc.address",
      "oidc.issuer needs oidc.groups: without a rule nobody can sign in by it",
    ],
  ],
  ...[
    "http://id.example",
    "http://10.0.0.1",
    "ftp://id.example",
    "https://",
    "https://id.example/?a=b",
    "https://a:b@id.example",
  ].map((wrong): [Given, readonly string[]] => [
    { flags: `--oidc-issuer ${wrong}` },
    [expect.stringMatching(/oidc\.issuer must (?:be an https:\/\/ address|not carry a name)/)],
  ]),
  ...["gateway.lan", "https://gateway.lan/page", "https://a@gateway.lan", "https://gateway.lan?x"].map(
    (wrong): [Given, readonly string[]] => [
      { flags: `--oidc-address ${wrong}` },
      [expect.stringContaining("oidc.address must be a scheme, a host and maybe a port")],
    ],
  ),
  [
    { flags: "--oidc-scopes profile" },
    [expect.stringContaining("oidc.scopes must be scopes with spaces between them, and openid among them")],
  ],
  [
    { flags: "--oidc-second-factor amr=mfa,gold" },
    [expect.stringContaining('oidc.second_factor has "gold"; one looks like amr=mfa or acr=gold')],
  ],
  [
    { flags: "--oidc-groups ops=user,admins=system" },
    [expect.stringContaining('oidc.groups has "admins=system"; a rule is GROUP=LEVEL')],
  ],
  [
    { flags: '--oidc-groups "ops=user' },
    [expect.stringContaining("oidc.groups has a double quote that is not closed")],
  ],
  [{ flags: "--port 1883" }, ["port and mqtt.port are both 1883"]],
  ...["energy@example.com", "mailto:a@b@c", "mailto:a@b?cc=d@e", "mailto:a b@c", "http://example.com", "https://"].map(
    (wrong): [Given, readonly string[]] => [
      { flags: `--notifications-push-contact=${wrong.replace(" ", "\t")}` },
      [expect.stringContaining("push_contact must be an address such as mailto:energy@example.com or https:")],
    ],
  ),
])("%j is refused with %j", async (given, expected) => {
  expect(await problemsOf(given)).toEqual(expected);
});

test("a file that is no YAML is refused with the lines that are wrong", async () => {
  for (const problem of await problemsOf(yaml("port: 1\n  x: [\n")))
    expect(problem).toMatch(/^busbar\.yaml line \d: \w/);
});

test("every problem of every source is reported at once", async () => {
  const problems = await problemsOf({
    flags: "--prot 1 --log-level loud",
    env: { BUSBAR_PORT: "x", BUSBAR_ADMIN_TOKEN: "short" },
    ...yaml("port: y\nhots: z\n"),
  });
  expect(problems).toEqual([
    "flag --prot: unknown, did you mean --port?",
    "busbar.yaml line 2: hots is unknown, did you mean host?",
    'busbar.yaml line 1: port must be a whole number from 0 to 65535, not "y"',
    'environment BUSBAR_PORT: port must be a whole number from 0 to 65535, not "x"',
    "environment BUSBAR_ADMIN_TOKEN: admin.token must have at least 32 characters, this has 5",
    'flag --log-level: log.level must be one of trace, debug, info, warn, error, fatal, not "loud"',
  ]);
});

test.each([
  yaml('oidc:\n  groups: ["CN=Admins,OU=Groups,DC=works=owner", operators=user, \'the "old" ones, too=readonly\']'),
  yaml('oidc.groups: \'"CN=Admins,OU=Groups,DC=works=owner", operators=user, "the ""old"" ones, too=readonly"\''),
  {
    env: { BUSBAR_OIDC_GROUPS: '"CN=Admins,OU=Groups,DC=works=owner",operators=user,"the ""old"" ones, too=readonly"' },
  },
  {
    flags: '--oidc-groups "CN=Admins,OU=Groups,DC=works=owner",operators=user,"the\t""old""\tones,\ttoo=readonly"',
  },
])("names of groups may have commas: %j", async (given) => {
  const { config, origins } = await load(given);
  const found = config.oidc.groups.map(({ group, level }) => [group.replaceAll("\t", " "), level]);
  expect(found).toEqual([
    ["CN=Admins,OU=Groups,DC=works", "owner"],
    ["operators", "user"],
    ['the "old" ones, too', "readonly"],
  ]);
  const shown = origins.find(({ name }) => name === "oidc.groups")?.value;
  expect(shown).toEqual(["CN=Admins,OU=Groups,DC=works=owner", "operators=user", expect.stringMatching(/old/)]);
});

test("what scripts may reach is a list of rules, and ports are a list of names", async () => {
  const { config, origins } = await load(
    yaml("lua:\n  allow: [battery-1=10.0.0.5:502, public]\n  ports: [rs485=serial:/dev/ttyUSB0?baud_rate=9600]"),
  );
  expect(config.lua.allow.map(({ device, port }) => [device, port])).toEqual([
    ["battery-1", 502],
    [undefined, undefined],
  ]);
  expect(config.lua.ports).toMatchObject([{ name: "rs485", kind: "serial", path: "/dev/ttyUSB0" }]);
  expect(origins.find(({ name }) => name === "lua.allow")?.value).toEqual(["battery-1=10.0.0.5:502", "public"]);
});

test("variables that are not settings are left to those who use them", async () => {
  const env = {
    BUSBAR_URL: "u",
    BUSBAR_TOKEN: "t",
    BUSBAR_TOKEN_FILE: "f",
    BUSBAR_TEST_X: "1",
    BUSBAR_LONG: "1",
    PATH: "/bin",
  };
  await expect(load({ env })).resolves.toBeDefined();
});

test.each<[string, string, string]>([
  ["BUSBAR_ADMIN_TOKEN", TOKEN, "***"],
  [
    "BUSBAR_DATABASE_URL",
    `postgres://me:${TOKEN}@db:5433/busbar?password=${TOKEN}`,
    "postgres://***@db:5433/busbar?***",
  ],
  ["BUSBAR_MQTT_URL", `mqtts://me:${TOKEN}@broker`, "mqtts://***@broker"],
])("%s is shown without its secret, which only reveal gives", async (name, text, shown) => {
  const { config, origins } = await load({ env: { [name]: text } });
  expect(JSON.stringify(origins)).toContain(shown);
  const durations = (_key: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  expect(JSON.stringify([config, origins], durations)).not.toContain("canary");
  const revealed = [config.admin.token, config.database.url, config.mqtt.url].map((secret) => secret?.reveal());
  expect(revealed).toContain(text);
});

test.each<[string, string]>([
  ["BUSBAR_ADMIN_TOKEN", "canary-too-short"],
  ["BUSBAR_DATABASE_URL", "mysql://me:canary@db"],
  ["BUSBAR_MQTT_URL", "canary"],
  ["BUSBAR_CLOUD_URL", "https://me:canary@cloud"],
])("a wrong %s is refused without being repeated", async (name, text) => {
  expect((await problemsOf({ env: { [name]: text } })).join()).not.toContain("canary");
});

test("secrets are not taken as flags, and the message says what to do", async () => {
  expect(await problemsOf({ flags: `--admin-token ${TOKEN}` })).toEqual([
    "flag --admin-token: a secret is not taken as a flag, which others on this machine can read; set BUSBAR_ADMIN_TOKEN",
  ]);
});

test("docs/configuration.md lists every setting as the table has it", () => {
  const page = readFileSync(new URL("../docs/configuration.md", import.meta.url), "utf8");
  const [, table] = /<!-- settings -->\n\n([\s\S]*?)\n\n<!-- end -->/.exec(page) ?? [];
  expect(table).toBe(settingsTable());
});
