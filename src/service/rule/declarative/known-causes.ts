import type { KnownCauses } from "./look-for-rule.ts";

interface Causes extends KnownCauses {
  variableSet(siteId: string, name: string, set: { readonly at: number; readonly by: readonly string[] }): void;
  claimed(deviceId: string, control: string, by: readonly string[]): void;
}

const MOST_KNOWN = 10_000;
/** Between the moment in which a rule sets a variable and the one that is stored with it. */
const WITHIN_MS = 1_000;

/** What rules of this program set and claimed last. After a restart nobody knows, and chains of causes begin anew. */
export function createKnownCauses(): Causes {
  const variables = new Map<string, { readonly at: number; readonly by: readonly string[] }>();
  const claims = new Map<string, readonly string[]>();
  return {
    variableSet: (siteId, name, set) => keep(variables, JSON.stringify([siteId, name]), set),
    claimed: (deviceId, control, by) => keep(claims, JSON.stringify([deviceId, control]), by),
    ofVariable(siteId, name, at) {
      const set = variables.get(JSON.stringify([siteId, name]));
      // Otherwise somebody else has set it since.
      return set !== undefined && Math.abs(at - set.at) <= WITHIN_MS ? set.by : [];
    },
    ofClaim: (deviceId, control) => claims.get(JSON.stringify([deviceId, control])) ?? [],
  };
}

function keep<Value>(known: Map<string, Value>, key: string, value: Value): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}
