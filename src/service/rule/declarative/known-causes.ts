import type { KnownCauses } from "./look-for-rule.ts";

export interface RuleCauses extends KnownCauses {
  variableSet(siteId: string, name: string, set: { readonly at: number; readonly by: readonly string[] }): void;
  claimed(deviceId: string, control: string, by: readonly string[]): void;
  executed(command: DeviceCommand, by: readonly string[]): void;
  /** Of an execution that has ended: those of the rule that ran this command first and has not been answered for yet. */
  ofExecution(executionId: string, command: DeviceCommand): readonly string[];
}

interface DeviceCommand {
  readonly deviceId: string;
  readonly command: string;
}

const MOST_KNOWN = 10_000;
/** Runs of one command that are under way. */
const MOST_OPEN = 20;
/** Between the moment in which a rule sets a variable and the one that is stored with it. */
const WITHIN_MS = 1_000;

/** What rules of this program set and claimed last. After a restart nobody knows, and chains of causes begin anew. */
export function createKnownCauses(): RuleCauses {
  const variables = new Map<string, { readonly at: number; readonly by: readonly string[] }>();
  const claims = new Map<string, readonly string[]>();
  /** Commands that rules have run and whose end nobody has heard of yet, by device and command. */
  const commands = new Map<string, readonly (readonly string[])[]>();
  const executions = new Map<string, readonly string[]>();
  return {
    variableSet: (siteId, name, set) => keep(variables, JSON.stringify([siteId, name]), set),
    claimed: (deviceId, control, by) => keep(claims, JSON.stringify([deviceId, control]), by),
    executed({ deviceId, command }, by) {
      const key = JSON.stringify([deviceId, command]);
      keep(commands, key, [...(commands.get(key) ?? []), by].slice(-MOST_OPEN));
    },
    ofExecution(executionId, { deviceId, command }) {
      const known = executions.get(executionId);
      if (known !== undefined) return known;
      const key = JSON.stringify([deviceId, command]);
      const [by = [], ...others] = commands.get(key) ?? [];
      if (others.length > 0) commands.set(key, others);
      else commands.delete(key);
      keep(executions, executionId, by);
      return by;
    },
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
