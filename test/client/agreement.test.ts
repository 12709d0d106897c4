// The types of the client and the schemas of the server agree field by field. The schemas are rendered as types, and the
// compiler compares each field with the client's.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { ERROR_CODES } from "#core/app-error.ts";
import { renderOpenapi } from "#http/openapi.ts";
import { EXAMPLES } from "#http/reference/examples.ts";
import { allRoutes } from "../support/all-routes.ts";

type Json = Readonly<Record<string, unknown>>;

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Below the checkout, so that its packages are found. */
const FOLDER = join(ROOT, "node_modules/.cache/client-agreement");
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const about = { version: "0", headerPrefix: "X-Service", cookieName: "busbar" };
const { components } = renderOpenapi(allRoutes(), about) as { components: { schemas: Readonly<Record<string, Json>> } };

/** Schemas whose type has another name in the client. Inner parts of a type are given by their path. */
const answerOf = (call: string) => `Awaited<ReturnType<C.Client${call}>>`;
const NAMES: Readonly<Record<string, string>> = {
  AuditTarget: 'C.AuditEntry["target"]',
  CreatedToken: answerOf('["tokens"]["create"]'),
  OwnTokenAnswer: answerOf('["tokens"]["current"]'),
  CreatedWebhook: answerOf('["webhooks"]["create"]'),
  WebhookTest: answerOf('["webhooks"]["test"]'),
  JoinCode: answerOf('["gateways"]["createJoinCode"]'),
  SignInCode: answerOf('["sessions"]["createCode"]'),
  ProvisionedDevice: answerOf('["provisioning"]["standalone"]'),
  TelemetryImport: "C.Imported",
  TelemetryImportProblem: 'C.Imported["problems"][number]',
  ...Object.fromEntries(
    [
      "Execution",
      "Alert",
      "Connectivity",
      "Device",
      "Change",
      "Configuration",
      "Runtime",
      "Log",
      "Telemetry",
      "Gap",
    ].map((kind) => [`${kind}Event`, `Omit<Extract<C.LiveEvent, { readonly kind: "${kind.toLowerCase()}" }>, "kind">`]),
  ),
  LogLine: 'Extract<C.LiveEvent, { readonly kind: "log" }>["log"]',
  CommandExecution: "C.Execution",
  CommandRequest: 'C.Execution["request"]',
  Connectivity: 'NonNullable<C.Device["connectivity"]>',
  WebhookDelivery: "C.Delivery",
  Retention: "C.SiteRetention",
  RuntimeError: 'NonNullable<C.DeviceRuntime["last_error"]>',
  RuntimeOverrun: 'NonNullable<C.DeviceRuntime["overrun"]>',
  SimulatedNow: 'C.Simulation["current"]',
  NextCommand: 'NonNullable<C.SimulationChange["next_command"]>',
  CatalogueSupport: 'C.CatalogueEntry["support"]',
  CatalogueOffers: 'C.CatalogueEntry["offers"]',
  CatalogueCategory: 'C.CataloguePage["categories"][number]',
  RolloutCounts: 'C.Rollout["devices"]',
  ChangeAsker: 'C.GatewayChange["asked_by"]',
  JoinCodeMaker: 'C.OpenJoinCode["made_by"]',
  ChangeError: 'C.GatewayChange["errors"][number]',
  GatewayBacklog: 'C.GatewayReport["backlog"]',
  DroppedHistory: 'C.Uplink["dropped"]',
  GatewayVersion: 'C.Fleet["versions"][number]',
  FleetBacklog: 'C.Fleet["backlog"]',
  UplinkTelemetry: 'C.Uplink["telemetry"]',
  AppliedCounterCorrection: 'C.SiteEnergy["corrections"][number]',
  CorrectionAuthor: 'C.CounterCorrection["author"]',
  AuditActor: 'NonNullable<C.AuditEntry["actor"]>',
  SystemProcess: 'C.System["process"]',
  SystemThread: 'NonNullable<C.System["process"]["threads"]>[number]',
  SystemStorage: 'C.System["storage"]',
  SystemFile: 'C.System["storage"]["files"][number]',
  SystemBroker: 'C.System["broker"]',
  SystemTelemetry: 'C.System["telemetry_values"]',
  SystemBuffer: 'C.System["buffers"][number]',
  SystemShare: 'C.System["shares"][number]',
  DeviceConfig: "C.CommunicationConfig",
  TimeseriesRequest: "C.TimeseriesQuestion",
  TimeseriesItem: 'C.TimeseriesQuestion["telemetry"][number]',
};

/** Schemas and fields that have no type of their own in the client, or one that is wider on purpose. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  Errors: "ErrorItem takes codes of newer servers, too",
  Joined: "only gateways join",
  MqttPassword: "texts by name, for both kinds of credentials",
  MqttCertificate: "texts by name, for both kinds of credentials",
  "DeviceConfig.mqtt_credentials": "texts by name, for both kinds of credentials",
  "Device.type": "newer servers have more",
  "CatalogueEntry.category": "newer servers have more",
  "CatalogueCategory.category": "newer servers have more",
  "GapEvent.kinds": "the client itself tells a gap of all kinds without a list",
  "TimeseriesRequest.aggregation": "newer servers have more",
  "TimeseriesRequest.telemetry": "its items are compared",
  "TimeseriesItem.aggregation": "newer servers have more",
};

function isInput(name: string): boolean {
  return /^(?:New|SignIn$|GenerateConfig|AssignBlueprint|Join$|RetentionRules|SiteChange|DeviceChange|CommandInput|RolloutFilter)/.test(
    name,
  );
}

function typeOf(schema: Json): string {
  const { $ref, anyOf, enum: words, type, items, properties, additionalProperties: others } = schema;
  if (typeof $ref === "string") return `Wire[${JSON.stringify($ref.split("/").at(-1))}]`;
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one as Json)).join(" | ");
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ");
  if (type === "array") return `readonly (${typeOf((items ?? {}) as Json)})[]`;
  if (type === "object") {
    if (Object.keys(properties ?? {}).length > 0) return objectOf(schema);
    return typeof others === "object" ? `Readonly<Record<string, ${typeOf(others as Json)}>>` : "JsonObject";
  }
  return (
    { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" }[String(type)] ??
    "unknown"
  );
}

function objectOf({ properties, required }: Json): string {
  const musts = (required ?? []) as readonly string[];
  const fields = Object.entries(properties as Readonly<Record<string, Json>>).map(
    ([name, schema]) => `readonly ${JSON.stringify(name)}${musts.includes(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  return `{ ${fields.join(" ")} }`;
}

const HEAD = `
import type * as C from "${relative(FOLDER, ROOT)}/src/client/index.ts";
type JsonObject = C.JsonObject;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "the client's is wider") : "the client's differs";
type Keys<T> = T extends unknown ? keyof T : never;
declare function check<_Agrees extends true>(what: string): void;
`;

test("every schema of an answer has a type in the client, with the same fields of the same types", {
  timeout: 60_000,
}, () => {
  const wire = Object.entries(components.schemas).map(
    ([name, schema]) => `${JSON.stringify(name)}: ${typeOf(schema)};`,
  );
  const checks = Object.entries(components.schemas).flatMap(([name, { properties }]) => {
    if (isInput(name) || name in NOT_COMPARED || properties === undefined) return [];
    const own = NAMES[name] ?? `C.${name}`;
    const fields = Object.keys(properties as object)
      .filter((field) => !(`${name}.${field}` in NOT_COMPARED))
      .map(
        (field) =>
          `check<Same<Wire[${JSON.stringify(name)}][${JSON.stringify(field)}], (${own})[${JSON.stringify(field)}]>>("${name}.${field}");`,
      );
    return [`check<Same<Keys<Wire[${JSON.stringify(name)}]>, Keys<${own}>>>("${name}: names of fields");`, ...fields];
  });
  expect(checks.length).toBeGreaterThan(200);
  const lines = [HEAD, `interface Wire { ${wire.join("\n")} }`, ...checks];
  expect(problemsOf(lines.join("\n"))).toEqual([]);
});

test("the client knows every code of a refusal", { timeout: 60_000 }, () => {
  const codes = Object.keys(ERROR_CODES).map((code) => JSON.stringify(code));
  expect(problemsOf(`${HEAD}check<Same<${codes.join(" | ")}, C.ErrorCode>>("codes");`)).toEqual([]);
});

test("the TypeScript of every example is compiled", { timeout: 60_000 }, () => {
  const samples = Object.values(EXAMPLES).flatMap(({ ts }) => (ts === undefined ? [] : [`await ${ts};`]));
  const head = `import { createClient } from "${relative(FOLDER, ROOT)}/src/client/index.ts";
const client = createClient({ url: "" });
const bytes = new Uint8Array();
`;
  expect(problemsOf(head + samples.join("\n"))).toEqual([]);
});

/** What the compiler says, by the places that the checks name. */
function problemsOf(source: string): readonly string[] {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "agree.ts"), source);
  const config = { extends: join(ROOT, "tsconfig.json"), files: ["agree.ts"], include: [] };
  const options = { compilerOptions: { noUnusedLocals: false, noUnusedParameters: false } };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify({ ...config, ...options }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", FOLDER, "--pretty", "false"], { encoding: "utf8" });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: string };
    const texts = source.split("\n");
    return stdout.split("\n").flatMap((line) => {
      const [, row, what] = /\((\d+),\d+\): error \S+ (.*)/.exec(line) ?? [];
      if (row === undefined) return [];
      return [
        `${/"\);$/.test(texts[Number(row) - 1] ?? "") ? (texts[Number(row) - 1]?.split('"').at(-2) ?? "") : row}: ${what}`,
      ];
    });
  }
}
