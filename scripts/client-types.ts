// Writes the part of the client that follows from the declared operations: src/client/resources.ts, its types, and
// src/client/operations.ts, the methods and paths. A test says when this must be run again. Usage: npm run client-types
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ERROR_CODES } from "#core/app-error.ts";
import { EXECUTION_STATES, RESPONSE_STATES } from "#core/command/execution.ts";
import { MQTT_PROTOCOLS } from "#core/device/device.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { CORRECTION_KINDS } from "#core/energy/counter-correction.ts";
import { EVENT_KINDS } from "#core/event/event.ts";
import { VIEW_KINDS } from "#core/view/view.ts";
import { DELIVERY_STATES, WEBHOOK_KINDS } from "#core/webhook/webhook.ts";
import { renderOpenapi } from "#http/openapi.ts";
import type { RouteDescription } from "#http/route.ts";
import { CONNECTIVITY_STATUSES, EXPANSIONS } from "#service/device/device-wire.ts";
import type { Param } from "#service/operation/query.ts";
import { ROLES } from "#service/operation/wire.ts";
import { allRoutes } from "../test/support/all-routes.ts";

type Json = Readonly<Record<string, unknown>>;

const ROOT = new URL("../", import.meta.url);
const RESOURCES = new URL("src/client/resources.ts", ROOT);
const OPERATIONS = new URL("src/client/operations.ts", ROOT);

/** Schemas that have another name in the client. */
const NAMES: Readonly<Record<string, string>> = {
  CommandExecution: "Execution",
  DeviceConfig: "CommunicationConfig",
  Retention: "SiteRetention",
  TelemetryImport: "Imported",
  TimeseriesRequest: "TimeseriesQuestion",
  WebhookDelivery: "Delivery",
};

/** Lists of words that have a name in the client. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  AccessLevel: ACCESS_LEVELS,
  AuthorizedRole: ROLES,
  ConnectivityStatus: CONNECTIVITY_STATUSES,
  CorrectionKind: CORRECTION_KINDS,
  DeliveryState: DELIVERY_STATES,
  ErrorCode: Object.keys(ERROR_CODES),
  EventKind: EVENT_KINDS,
  ExecutionState: EXECUTION_STATES,
  Expansion: withoutOld(EXPANSIONS),
  LogSeverity: LOG_SEVERITIES,
  MqttProtocol: MQTT_PROTOCOLS,
  ResponseState: RESPONSE_STATES,
  ViewKind: VIEW_KINDS,
  WebhookKind: WEBHOOK_KINDS,
};

/**
 * Fields that are wider in the client than in the schema. Newer servers have more words, and more kinds of credentials;
 * and the command line gives words as people typed them, because the server says best what is wrong with them.
 */
const WIDER: Readonly<Record<string, string>> = {
  "CatalogueCategory.category": "string | null",
  "CatalogueEntry.category": "string | null",
  "Device.type": "string",
  "DeviceConfig.mqtt_credentials": "Readonly<Record<string, string>>",
  "RolloutFilter.types": "readonly string[]",
  "TimeseriesItem.aggregation": "string",
  "TimeseriesRequest.aggregation": "string",
  "listAudit.outcome.in": "readonly string[]",
  "listCatalogue.category": "string",
  "listRolloutDevices.state.in": "readonly string[]",
};

/** Refusals are `ErrorItem`, and credentials are texts by name. */
const LEFT_OUT = new Set(["Errors", "MqttCertificate", "MqttPassword"]);

/** The files that are written, with their texts. */
export function renderFiles(): readonly (readonly [URL, string])[] {
  const routes = allRoutes().filter(({ aliasOf }) => aliasOf === undefined);
  return [
    [RESOURCES, renderResources(routes)],
    [OPERATIONS, renderPaths(routes)],
  ];
}

function renderPaths(routes: readonly RouteDescription[]): string {
  const paths = routes.map(({ name, method, path }) => `${name}: "${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}",`);
  return format(
    OPERATIONS,
    `// Written by \`npm run client-types\` from the declared operations.

/** Method and path of each operation. */
export const OPERATIONS = {
${paths.sort().join("\n")}
} as const;
`,
  );
}

function renderResources(routes: readonly RouteDescription[]): string {
  const { schemas, answers, bodies } = readDocument(routes);
  const { schemas: answered } = readDocument(routes.map(({ body: _, ...route }) => route));
  const words = Object.entries(WORDS).map(([name, list]) => `export type ${name} = ${unionOf(list)};`);
  const types = Object.entries(schemas).flatMap(([title, schema]) => {
    if (LEFT_OUT.has(title)) return [];
    const type = title === "EventData" ? eventsOf(schema) : objectOf(schema, { title, isInput: !(title in answered) });
    return [`${comment(schema)}export type ${nameOf(title)} = ${type};`];
  });
  return format(
    RESOURCES,
    `// Written by \`npm run client-types\`. Change the schemas of the operations, not this file.

export type JsonObject = { readonly [key: string]: unknown };

${[...words, ...types].join("\n\n")}

/** What each operation answers, by its name in the OpenAPI document. Those that do not answer with JSON are not here. */
export type Answers = ${objectOf(answers)};

/** The JSON that each operation takes. */
export type Bodies = ${objectOf(bodies)};

/** What each operation takes in its query. Lists are joined by commas. */
export type Queries = {
${routes.map(renderQuery).sort().join("\n")}
};
`,
  );
}

function renderQuery({ name, query = {} }: RouteDescription): string {
  const properties = Object.entries(query).map(([one, param]) => [one.replace("[]", ""), schemaOf(param)] as const);
  if (properties.length === 0) return "";
  return `readonly ${name}: ${objectOf({ properties: Object.fromEntries(properties) }, { title: name, isInput: true })};`;
}

function schemaOf({ description: text, schema, many, words }: Param<unknown>): Json {
  // The type names the words.
  const description = text.replace(/ Any of: .*$/, "");
  const isFlag = words !== undefined && unionOf(words) === unionOf(["true", "false"]);
  const one = isFlag
    ? { type: "boolean" }
    : words === undefined
      ? { type: schema["type"] }
      : { enum: withoutOld(words) };
  if (many === undefined) return { description, ...one };
  const list = { type: "array", items: words === undefined ? { type: "string" } : one };
  return { description, ...(many === "list" ? list : { type: "object", additionalProperties: list }) };
}

/** Earlier clients have another word for communication. */
function withoutOld(words: readonly string[]): readonly string[] {
  return words.filter((one) => one !== "communication_info");
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: { readonly "200": Content };
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema?: Json }>>;
}

/** The named schemas, and the answers and the bodies of all operations, each as the fields of one object. */
function readDocument(routes: readonly RouteDescription[]) {
  const about = { version: "", headerPrefix: "", cookieName: "" };
  const { paths, components } = renderOpenapi(routes, about) as unknown as Document;
  const fieldsOf = (read: (operation: Operation) => Content | undefined) => {
    const fields = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .map((one) => [one.operationId, read(one)?.content["application/json"]?.schema] as const)
      .filter(([, schema]) => schema !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return { properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
  };
  return {
    schemas: components.schemas,
    answers: fieldsOf(({ responses }) => responses[200]),
    bodies: fieldsOf(({ requestBody }) => requestBody),
  };
}

/** The data of each event by its kind, which is the start of its title: `ExecutionEvent` is of kind `execution`. */
function eventsOf({ anyOf }: Json): string {
  const fields = (anyOf as readonly Json[]).map((one) => {
    const title = typeOf(one);
    return `readonly ${title.replace(/Event$/, "").toLowerCase()}: ${title};`;
  });
  return `{ ${fields.join(" ")} }`;
}

interface Place {
  readonly title?: string;
  /** Programs may give undefined for what they leave out. */
  readonly isInput?: boolean;
}

function objectOf({ properties, required }: Json, { title, isInput = false }: Place = {}): string {
  const musts = (required ?? []) as readonly string[];
  const fields = Object.entries(properties as Readonly<Record<string, Json>>).map(([name, schema]) => {
    const type = WIDER[`${title}.${name}`] ?? typeOf(schema);
    const value = musts.includes(name) ? `: ${type}` : `?: ${type}${isInput ? " | undefined" : ""}`;
    return `${comment(schema)}readonly ${JSON.stringify(name)}${value};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

function typeOf(schema: Json): string {
  const { $ref, anyOf, enum: words, type, items, properties, additionalProperties: others } = schema;
  if (typeof $ref === "string") return nameOf($ref.split("/").at(-1) ?? "");
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one as Json)).join(" | ");
  if (Array.isArray(words)) return nameOfWords(words) ?? unionOf(words);
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ");
  if (type === "array") return `readonly (${typeOf((items ?? {}) as Json)})[]`;
  if (type === "object") {
    if (Object.keys(properties ?? {}).length > 0) return objectOf(schema);
    return typeof others === "object" ? `Readonly<Record<string, ${typeOf(others as Json)}>>` : "JsonObject";
  }
  if (type === "integer") return "number";
  return typeof type === "string" ? type : "unknown";
}

const nameOf = (title: string) => NAMES[title] ?? title;

const unionOf = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(" | ");

function nameOfWords(words: readonly string[]): string | undefined {
  return Object.keys(WORDS).find((name) => unionOf(WORDS[name] ?? []) === unionOf(words));
}

/** The description as a comment. That of a field that may be null stands at the other choice. */
function comment({ description, anyOf }: Json): string {
  const given = description ?? ((anyOf ?? []) as readonly Json[])[0]?.["description"];
  if (typeof given !== "string") return "";
  const text = given.replaceAll("*/", "*\\/");
  const lines = text.match(/.{1,108}(?:\s|$)/g) ?? [];
  return lines.length === 1 ? `/** ${text} */\n` : `/**\n${lines.map((line) => ` * ${line.trim()}\n`).join("")} */\n`;
}

function format(file: URL, source: string): string {
  const biome = fileURLToPath(new URL("node_modules/@biomejs/biome/bin/biome", ROOT));
  const args = [biome, "format", `--stdin-file-path=${fileURLToPath(file)}`];
  return execFileSync(process.execPath, args, { cwd: ROOT, input: source, encoding: "utf8" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of renderFiles()) writeFileSync(file, text);
}
