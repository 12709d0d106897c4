// The example of every operation, as a program calls it with the client. That each function of the client calls an operation
// that exists, with its query and its body, is the compiler's business: see src/client/perform.ts.
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { type Client, createClient } from "#client/create-client.ts";
import { renderOpenapi } from "#http/openapi.ts";
import { exampleOf } from "#http/reference/example-of.ts";
import { EXAMPLES } from "#http/reference/examples.ts";
import { allRoutes } from "../support/all-routes.ts";
import { operationsOf } from "../support/check-answer.ts";

const ROUTES = allRoutes().filter(({ aliasOf }) => aliasOf === undefined);

const document = renderOpenapi(ROUTES, { version: "0", headerPrefix: "X-Service", cookieName: "busbar" });
const operations = operationsOf(document).map((operation) => ({
  ...operation,
  id: String(operation.spec["operationId"]),
  pattern: new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));
interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array | null;
}

/** What a call sends. The answer is a refusal, so that nothing waits for more. */
async function sentBy(call: (client: Client) => unknown): Promise<Sent> {
  let sent: Sent | undefined;
  const fetch = async (url: unknown, { method = "", body }: RequestInit = {}) => {
    sent = { method, url: new URL(String(url)), body: body as Sent["body"] };
    return Response.json({ errors: [{ code: "not_found", message: "no" }] }, { status: 404 });
  };
  const client = createClient({ url: "http://busbar.test", token: "t", fetch: fetch as typeof globalThis.fetch });
  await expect(Promise.resolve(call(client))).rejects.toMatchObject({ code: "not_found" });
  if (sent === undefined) throw new Error("nothing was sent");
  return sent;
}

const SAMPLES = ROUTES.map((route) => [route.name, exampleOf(route)] as const).filter(([, { ts }]) => ts !== undefined);

test.each(SAMPLES)("the TypeScript of the example of %s sends what the example says", async (id, example) => {
  const bytes = new TextEncoder().encode("x");
  const { method, url, body } = await sentBy((client) => runInNewContext(example.ts ?? "", { client, bytes }));
  const operation = operations.find((one) => one.id === id);
  expect([method, operation?.pattern.test(url.pathname)]).toEqual([operation?.method, true]);
  expect(Object.fromEntries(url.searchParams)).toEqual(example.query ?? {});
  if (example.body !== undefined) expect(JSON.parse(String(body))).toMatchObject(comparable(id, example.body));
});

/** The TypeScript of these is shorter than the JSON. */
function comparable(id: string, body: unknown): object {
  const { location: _, ...rest } = body as Readonly<Record<string, unknown>>;
  return id === "createSite" ? rest : (body as object);
}

test("every operation with a body has an example, and none is left over", () => {
  const withBody = ROUTES.filter(({ body }) => body !== undefined).map(({ name }) => name);
  expect(withBody.filter((name) => !(name in EXAMPLES))).toEqual([]);
  const names = new Set(operations.map(({ id }) => id));
  expect(Object.keys(EXAMPLES).filter((name) => !names.has(name))).toEqual([]);
});
