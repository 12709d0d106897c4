// The page docs/operations.md, made from the declared operations.
import type { Route } from "#http/route.ts";

const HEAD = `# Operations

Made from the declared operations by \`npm test -- test/house/registers.test.ts -u\`. [Access](access.md) explains levels and
sites; \`/docs\` of a running Busbar shows input and answer. In a cloud, changes of a site that a gateway owns are made by
the gateway: it does them now or when it is back ("waits"), only while it is connected ("at once"), or only if somebody asks the
gateway itself ("there").

| Operation | Call | Level | If a gateway owns the site |
|---|---|---|---|
`;

export function renderOperations(
  routes: readonly Pick<Route, "name" | "method" | "path" | "level" | "atGateway">[],
): string {
  const rows = routes.map(({ name, method, path, level, atGateway }) => [
    `\`${name}\``,
    `\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``,
    level === "public" ? "no token" : `\`${level}\``,
    whereOf(atGateway),
  ]);
  return `${HEAD}${rows.map((cells) => `| ${cells.join(" | ")} |`.replace("|  |", "| |")).join("\n")}\n`;
}

function whereOf(atGateway: Route["atGateway"]): string {
  if (atGateway === undefined) return "";
  if (atGateway.by === "gateway alone") return "there";
  if (atGateway.by === "question") return "asked";
  return atGateway.waits ? "waits" : "at once";
}
