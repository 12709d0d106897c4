// The OpenAPI 3.1 document, made from the same schemas that validate. A schema with a title becomes a named component.
import { ERROR_CODES } from "#core/app-error.ts";
import type { RouteDescription } from "#http/route.ts";

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
    item[route.method.toLowerCase()] = renderOperation(route, components);
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
        token: { type: "apiKey", in: "header", name: `${about.headerPrefix}-Auth-Token` },
        bearer: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: about.cookieName },
      },
      schemas: { ...Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))), Errors: ERRORS },
    },
  };
}

function renderOperation(route: RouteDescription, components: Map<string, Json>): Json {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const inPath = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, param]) => ({
    name: name.replace("[]", ""),
    in: "query",
    ...(name.endsWith("[]") && { style: "deepObject", explode: true }),
    description: param.description,
    schema: param.schema,
  }));
  const parameters = [...inPath, ...inQuery];
  const access = route.access === "public" ? "Takes no token." : `Takes access level ${route.access} or higher.`;
  return {
    operationId: route.operation,
    summary: route.summary,
    description: [route.description, access].filter((text) => text !== undefined).join(" "),
    tags: [route.tag],
    ...(route.access === "public" && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: renderBody(route.body, components) }),
    responses: {
      "200": renderAnswer(route.answer, components),
      default: {
        description: "Refused, or a fault.",
        headers: { "X-Request-Id": { schema: { type: "string" } } },
        content: { "application/json": { schema: { $ref: "#/components/schemas/Errors" } } },
      },
    },
  };
}

function renderBody(body: NonNullable<RouteDescription["body"]>, components: Map<string, Json>): Json {
  if (!Array.isArray(body)) {
    return { required: true, content: { "application/json": { schema: named(body as Json, components) } } };
  }
  return { required: true, content: Object.fromEntries((body as readonly string[]).map((type) => [type, {}])) };
}

function renderAnswer(answer: RouteDescription["answer"], components: Map<string, Json>): Json {
  if ("contentType" in answer && typeof answer.contentType === "string") {
    const types = [answer.contentType, ...(Array.isArray(answer.otherTypes) ? answer.otherTypes.map(String) : [])];
    return { description: String(answer.description), content: Object.fromEntries(types.map((type) => [type, {}])) };
  }
  return { description: "Done.", content: { "application/json": { schema: named(answer as Json, components) } } };
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
