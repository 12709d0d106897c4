import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { allRoutes } from "../support/all-routes.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

type Json = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
}

test("the document has every route there is, and none that is not", () => {
  const documented = busbar.operations.map(({ method, path }) => `${method} ${path}`).sort();
  const routes = allRoutes().map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(documented).toEqual(routes.sort());
});

test("every documented operation answers, under both prefixes, with something else than route_not_found", async () => {
  for (const { method, path } of busbar.operations) {
    for (const prefix of ["", "/api"]) {
      const answer = await busbar.anonymous.call(method, prefix + path.replaceAll(/\{\w+\}/g, "x"));
      expect([path, answer.errors[0]?.code]).not.toEqual([path, "route_not_found"]);
    }
  }
});

test("it is an OpenAPI 3.1 document by its form", () => {
  const { document } = busbar;
  expect(document["openapi"]).toBe("3.1.0");
  expect(document["info"]).toMatchObject({ title: "Busbar", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  const ids = busbar.operations.map(({ spec }) => String(spec["operationId"]));
  expect(new Set(ids).size).toBe(ids.length);
  for (const { method, path, spec } of busbar.operations) {
    const where = `${method} ${path}`;
    expect(["GET", "POST", "PUT", "PATCH", "DELETE"], where).toContain(method);
    expect(spec["summary"], where).toMatch(/\S/);
    expect(spec["tags"], where).toHaveLength(1);
    const parameters = (spec["parameters"] ?? []) as readonly Parameter[];
    const inPath = parameters.filter((one) => one.in === "path");
    expect(
      inPath.map((one) => one.name),
      where,
    ).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    for (const one of inPath) expect(one.required, where).toBe(true);
    for (const one of parameters) expect(one.schema, where).toBeTypeOf("object");
    expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size, where).toBe(parameters.length);
    const responses = spec["responses"] as Json;
    expect(Object.keys(responses), where).toEqual(["200", "default"]);
    for (const response of Object.values(responses))
      expect(response, where).toMatchObject({ description: expect.any(String) });
    if (method === "GET") expect(spec, where).not.toHaveProperty("requestBody");
  }
});

test("every schema compiles as JSON Schema 2020-12, and every reference leads somewhere", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(busbar.document, "doc");
  const { schemas } = busbar.document["components"] as { schemas: Json };
  for (const [name, schema] of Object.entries(schemas)) {
    expect(ajv.validateSchema(schema as object), name).toBe(true);
    ajv.compile({ $ref: `doc#/components/schemas/${name}` });
  }
  for (const [, target] of JSON.stringify(busbar.document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    expect(Object.keys(schemas)).toContain(target);
  }
});

test("schemas with the same title are the same schema", () => {
  const seen = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("title" in value && typeof value.title === "string" && "type" in value) {
      const text = JSON.stringify(value);
      expect(seen.get(value.title) ?? text, value.title).toBe(text);
      seen.set(value.title, text);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  for (const route of allRoutes()) visit([route.body, route.answer]);
  expect(seen.size).toBeGreaterThan(10);
});

test("operations that take no token say so, and all others ask for one", () => {
  for (const route of allRoutes()) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const spec = ((busbar.document["paths"] as Json)[path] as Json)[route.method.toLowerCase()] as Json;
    expect([path, spec["security"]]).toEqual([path, route.level === "public" ? [] : undefined]);
  }
  expect(busbar.document["security"]).toEqual([{ token: [] }, { bearer: [] }, { session: [] }]);
});
