import type { RouteStore } from "#service/ports/route-store.ts";
import type { Database } from "#store/database.ts";
import { routesOf } from "./route-row.ts";
import type { Writer } from "./writer.ts";

export function createRouteStore(reader: Database, writer: Writer): RouteStore {
  return {
    put: (route, trail) => writer.run("putRoute", { route, trail }),
    delete: (named, trail) => writer.run("deleteRoute", { named, trail }),
    ofSite: (siteId) => routesOf(reader, siteId),
  };
}
