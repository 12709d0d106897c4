import type { RouteDescription } from "#http/route.ts";
import { EXAMPLE_IDS } from "./example-ids.ts";
import { EXAMPLES, type Example } from "./examples.ts";

/** The example of an operation. One without a body needs none of its own: it is called by its name. */
export function exampleOf(route: Pick<RouteDescription, "name" | "aliasOf" | "path">): Example {
  return EXAMPLES[route.aliasOf ?? route.name] ?? { ts: performed(route) };
}

function performed({ name, path }: Pick<RouteDescription, "name" | "path">): string {
  const ids: Readonly<Record<string, string>> = EXAMPLE_IDS;
  const params = Array.from(path.matchAll(/:(\w+)/g), ([, one = ""]) => `${one}: ${JSON.stringify(ids[one] ?? one)}`);
  return `client.perform("${name}"${params.length === 0 ? "" : `, { params: { ${params.join(", ")} } }`})`;
}
