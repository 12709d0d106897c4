// What the script of a rule calls: its site, over the main thread, and servers over HTTP, from its own thread.
import type { Drivers } from "#drivers/drivers.ts";
import type { RuleAsks } from "./rule-asks.ts";
import type { SiteRequests } from "./site-requests.ts";

const SEND = "http.send";
/** Of what a rule may spend: five requests a second. */
const COST = 20;

export interface RuleDriverNeeds {
  readonly siteId: string;
  readonly asks: RuleAsks;
  readonly requests: SiteRequests;
  /** Called with the first request: most rules send none. */
  readonly openHttp: () => Drivers;
}

export function createRuleDrivers({ siteId, asks, requests, openHttp }: RuleDriverNeeds): Drivers {
  let http: Drivers | undefined;
  let isClosed = false;
  return {
    async call(name, args) {
      if (name !== SEND) return await asks.call(name, args);
      await asks.spend(COST);
      const give = await requests.take(siteId);
      if (give === undefined) return [undefined, "too many requests of the site's rules wait for answers"];
      try {
        if (isClosed) return [undefined, "the rule has stopped"];
        http ??= openHttp();
        return await http.call(name, args);
      } finally {
        give();
      }
    },
    close() {
      isClosed = true;
      asks.close();
      http?.close();
    },
  };
}
