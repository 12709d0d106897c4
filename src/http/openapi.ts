// The OpenAPI 3.1 document, made from the same schemas that validate. A schema with a title becomes a named component.
import { ERROR_CODES } from "#core/app-error.ts";
import { EXAMPLE_IDS } from "#http/reference/example-ids.ts";
import { exampleOf } from "#http/reference/example-of.ts";
import { renderSamples } from "#http/reference/render-samples.ts";
import type { RouteDescription } from "#http/route.ts";
import type { RawAnswers } from "#service/operation/operation.ts";

type Json = Readonly<Record<string, unknown>>;

interface About {
  readonly version: string;
  readonly headerPrefix: string;
  readonly cookieName: string;
}

export function renderOpenapi(routes: readonly RouteDescription[], about: About): Json {
  const components = new Map<string, Json>();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const item = paths[path] ?? {};
    item[route.method.toLowerCase()] = renderOperation(route, components, about.headerPrefix);
    paths[path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Busbar",
      version: about.version,
      description:
        "Runs energy sites: devices, their commands, telemetry and blueprints. Every path also works under /api.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }, { bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "apiKey",
          in: "header",
          name: `${about.headerPrefix}-Auth-Token`,
          description: "A token of POST /v3/tokens, or the admin token.",
        },
        bearer: { type: "http", scheme: "bearer", description: "The same token in the header Authorization." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: about.cookieName,
          description: "The sign-in of the web page. Only pages of this server can use it.",
        },
      },
      schemas: { ...Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))), Errors: ERRORS },
    },
  };
}

function renderOperation(route: RouteDescription, components: Map<string, Json>, headerPrefix: string): Json {
  const example = exampleOf(route);
  const samples = route.aliasOf === undefined ? renderSamples(route, example, headerPrefix) : [];
  const parameters = renderParameters(route);
  const access = route.level === "public" ? "Takes no token." : `Takes access level ${route.level} or higher.`;
  return {
    operationId: route.name,
    summary: route.summary,
    description: [route.description, access].filter((text) => text !== undefined).join(" "),
    tags: [route.tag],
    ...(route.level === "public" && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: renderBody(route.body, components, example.body) }),
    ...(samples.length > 0 && { "x-codeSamples": samples }),
    responses: {
      "200": renderAnswer(route.answer, components, headerPrefix),
      default: {
        description: "Refused, or a fault.",
        headers: { "X-Request-Id": { schema: { type: "string" } } },
        content: { "application/json": { schema: { $ref: "#/components/schemas/Errors" } } },
      },
    },
  };
}

function renderParameters(route: RouteDescription): readonly Json[] {
  const { query: asked = {}, headers: sent = {} } = exampleOf(route);
  const ids: Readonly<Record<string, string>> = EXAMPLE_IDS;
  const withExample = (example: unknown) => (example === undefined ? {} : { example });
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...withExample(ids[name]),
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, param]) => ({
    name: name.replace("[]", ""),
    in: "query",
    ...(name.endsWith("[]") && { style: "deepObject", explode: true }),
    description: param.description,
    schema: param.schema,
    ...withExample(name.endsWith("[]") ? keyedExample(name.replace("[]", ""), asked) : asked[name]),
  }));
  const inHeader = Object.entries(route.headers ?? {}).map(([name, { description, schema }]) => ({
    name,
    in: "header",
    description,
    schema,
    ...withExample(sent[name]),
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

/** `devices[pcs]=power` as { pcs: "power" }. */
function keyedExample(name: string, asked: Readonly<Record<string, string>>): Json | undefined {
  const pairs = Object.entries(asked).flatMap(([key, value]) =>
    key.startsWith(`${name}[`) ? [[key.slice(name.length + 1, -1), value] as const] : [],
  );
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function renderBody(
  body: NonNullable<RouteDescription["body"]>,
  components: Map<string, Json>,
  example: unknown,
): Json {
  if (!Array.isArray(body)) {
    const media = { schema: named(body as Json, components), ...(example !== undefined && { example }) };
    return { required: true, content: { "application/json": media } };
  }
  return { required: true, content: Object.fromEntries((body as readonly string[]).map((type) => [type, {}])) };
}

function renderAnswer(answer: RouteDescription["answer"], components: Map<string, Json>, headerPrefix: string): Json {
  if (!isRaw(answer)) {
    return { description: "Done.", content: { "application/json": { schema: named(answer as Json, components) } } };
  }
  const { contentType, otherTypes = [], description, schema, headers } = answer;
  const media = schema === undefined ? {} : { schema: named(schema as Json, components) };
  const own = Object.entries(headers ?? {}).map(([name, about]) => [name.replace("{prefix}", headerPrefix), about]);
  return {
    description,
    ...(own.length > 0 && { headers: Object.fromEntries(own) }),
    content: Object.fromEntries([contentType, ...otherTypes].map((type) => [type, media])),
  };
}

function isRaw(answer: RouteDescription["answer"]): answer is RawAnswers {
  return typeof answer["contentType"] === "string";
}

/** The schema with every titled part replaced by a reference to its component. */
function named(schema: Json, components: Map<string, Json>): Json {
  const { title } = schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, namedInside(value, components)]));
  if (typeof title !== "string") return inner;
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}

function namedInside(value: unknown, components: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => namedInside(item, components));
  return typeof value === "object" && value !== null ? named(value as Json, components) : value;
}

const ERRORS: Json = {
  title: "Errors",
  type: "object",
  additionalProperties: false,
  required: ["errors"],
  properties: {
    errors: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["code", "message"],
        properties: {
          code: { type: "string", enum: Object.keys(ERROR_CODES) },
          message: { type: "string" },
          details: { type: "object", additionalProperties: true },
        },
      },
    },
  },
};
