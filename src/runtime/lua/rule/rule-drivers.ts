// What the script of a rule calls: its site, over the main thread, and servers over HTTP, from its own thread.
import { requestResult, sentRequest } from "#core/rule/shown-request.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { type LuaValue, textOf } from "#drivers/lua-value.ts";
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

/** Sends it, and notes it in the trace. */
async function noted(asks: RuleAsks, [method, url]: readonly LuaValue[], sending: ReturnType<Drivers["call"]>) {
  const began = performance.now();
  const ended = asks.sends(sentRequest(textOf(String(method)), textOf(String(url))));
  const values = await sending;
  ended(resultOf(values, performance.now() - began));
  return values;
}

/** Of a request that has ended: `{code, ...}`, or nothing and why. */
export function resultOf([answer, problem]: readonly LuaValue[], ms: number): string {
  const code = answer instanceof Map ? Number(answer.get("code")) : undefined;
  return requestResult(code, textOf(String(problem ?? "")), ms);
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
        return await noted(asks, args, http.call(name, args));
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
