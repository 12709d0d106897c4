// Random calls made from our own OpenAPI document: half sense, half nonsense. The helper holds every answer against
// the document, so what is left to say here is that nothing is a fault and memory stays flat.
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { manifest } from "../support/blueprints.ts";
import type { Operation } from "../support/check-answer.ts";
import { memoryInUse } from "../support/memory-in-use.ts";
import { roundsOf } from "../support/rounds.ts";
import { type CallOptions, useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--commands-wait-limit", "1ms", "--commands-response-timeout", "20ms"]);
const RUNS = roundsOf("random HTTP calls");

type Json = Readonly<Record<string, unknown>>;
interface Call {
  readonly method: string;
  readonly path: string;
  readonly options: CallOptions;
}

/** Ids and slugs that exist, so that calls get past the first door. */
const known: string[] = ["target", "twin", "__proto__", "constructor", "toString", ""];

beforeAll(async () => {
  for (const name of ["Fuzz A", "Fuzz B"]) {
    const { body } = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name });
    const device = { name: "Target", slug: "twin", site_id: body.site.id };
    const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", device);
    known.push(body.site.id, made.body.device_id);
  }
  const upload = { bytes: manifest("Fuzz") };
  const { body } = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", upload);
  known.push(body.blueprint.id);
});

const nasty = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constantFrom("__proto__", "constructor", "toString", "null", "-1", "1e999", "x".repeat(3_000), "\u0000", "🔋"),
);
const text = fc.oneof(
  { weight: 3, arbitrary: fc.nat(100).map((i) => known[i % known.length] ?? "") },
  { weight: 1, arbitrary: nasty },
);

/** A value that mostly fits the schema. */
function valueFor(schema: Json): fc.Arbitrary<unknown> {
  const fitting = (): fc.Arbitrary<unknown> => {
    if (typeof schema["$ref"] === "string") return valueFor(resolve(schema["$ref"]));
    if (Array.isArray(schema["anyOf"])) return fc.oneof(...schema["anyOf"].map((part) => valueFor(part as Json)));
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"]);
    switch (schema["type"]) {
      case "string":
        return schema["format"] === "date-time"
          ? fc.constantFrom("2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z")
          : text;
      case "integer":
        return fc.integer();
      case "number":
        return fc.double();
      case "boolean":
        return fc.boolean();
      case "array":
        return fc.array(valueFor((schema["items"] ?? {}) as Json), { maxLength: 4 });
      case "object":
        return objectOf(schema);
      default:
        return fc.anything();
    }
  };
  return fc.oneof({ weight: 9, arbitrary: fitting() }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
}

function objectOf(schema: Json): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Json);
  const fields = Object.fromEntries(properties.map(([name, inner]) => [name, valueFor(inner as Json)]));
  const known = fc.record(fields, { requiredKeys: (schema["required"] ?? []) as string[] });
  const more = fc.dictionary(fc.oneof(nasty, fc.constantFrom(...Object.keys(fields), "nam")), fc.jsonValue(), {
    maxKeys: 2,
  });
  return fc.oneof(
    { weight: 5, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, more).map(([a, b]) => ({ ...a, ...b })) },
  );
}

function resolve(ref: string): Json {
  const { schemas } = busbar.document["components"] as { schemas: Readonly<Record<string, Json>> };
  return schemas[ref.split("/").at(-1) ?? ""] ?? {};
}

function bodyOf({ method, spec }: Operation): fc.Arbitrary<CallOptions> {
  if (method === "GET") return fc.constant({});
  const content = (spec["requestBody"] as Json | undefined)?.["content"] as Record<string, Json> | undefined;
  if (content === undefined) return fc.constantFrom({}, { bytes: "{}" });
  const schema = content["application/json"]?.["schema"] as Json | undefined;
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string(), fc.json(), fc.constant(manifest("Fuzz")));
  const raw = fc.record({
    bytes,
    headers: fc.constantFrom(
      {},
      { "Content-Type": "application/zip" },
      { "Content-Type": "multipart/form-data; boundary=a" },
    ),
  });
  return schema === undefined
    ? raw
    : fc.oneof({ weight: 6, arbitrary: valueFor(schema).map((json) => ({ json })) }, { weight: 1, arbitrary: raw });
}

function callOf(operation: Operation): fc.Arbitrary<Call> {
  const parameters = (operation.spec["parameters"] ?? []) as readonly { name: string; in: string; schema: Json }[];
  const names = parameters.filter((one) => one.in === "path").map((one) => one.name);
  const inQuery = parameters.filter((one) => one.in === "query");
  const query = fc.record(Object.fromEntries(inQuery.map((one) => [one.name, valueFor(one.schema).map(written)])), {
    requiredKeys: [],
  });
  const extra = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(nasty, nasty, { maxKeys: 2 }) },
  );
  return fc
    .tuple(fc.tuple(...names.map(() => text)), query, extra, bodyOf(operation))
    .map(([ids, values, others, options]) => {
      let path = operation.path;
      for (const [i, name] of names.entries())
        path = path.replace(`{${name}}`, encodeURIComponent(wellFormed(ids[i] ?? "")));
      const search = new URLSearchParams({ ...values, ...others } as Record<string, string>).toString();
      return { method: operation.method, path: search === "" ? path : `${path}?${search}`, options };
    });
}

const written = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Lone surrogates cannot be written in a URL. */
const wellFormed = (value: string) => value.toWellFormed();

function megabytesInUse(): number {
  const { heapUsed, external } = memoryInUse();
  return (heapUsed + external) / 1024 / 1024;
}

test(`${RUNS} random calls are answered or refused as the document says, without a fault and in flat memory`, async () => {
  const statuses = new Map<number, number>();
  const calls = fc.oneof(...busbar.operations.map(callOf));
  const round = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(calls, async ({ method, path, options }) => {
        const { status } = await busbar.admin.call(method, path, options);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status).toBeLessThan(500);
      }),
      { numRuns },
    );
  await round(RUNS / 2);
  const before = megabytesInUse();
  await round(RUNS / 2);
  const grown = megabytesInUse() - before;
  console.log(
    `fuzz: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}, memory grew by ${grown.toFixed(1)} MiB`,
  );
  expect(grown).toBeLessThan(48);
  for (const status of [200, 400, 404]) expect(statuses.get(status)).toBeGreaterThan(RUNS / 50);
});
