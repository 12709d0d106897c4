// Which runs of rules led to what: to executions, claims and values of variables. Only in memory: after a restart nobody knows, and
// chains of causes begin anew.
import type { Claim } from "#core/control/claim.ts";

/** What this program does not know has no cause. */
export interface KnownCauses {
  ofExecution(executionId: string): readonly string[];
  /** `at`: when it was stored. Somebody else may have set it since. */
  ofVariable(siteId: string, name: string, at: number): readonly string[];
  /** Of what counts for a control: of the claim that wins, or of the end of another one since. */
  ofControl(control: ControlPlace, winner: Winner | undefined): Caused;
}

/** Told before the change is stored: whoever hears of the change may ask at once. */
export interface RuleCauses extends KnownCauses {
  executed(executionId: string, by: readonly string[] | undefined): void;
  variableSet(siteId: string, name: string, set: Caused): void;
  /** A claim has another value than before. */
  claimed(claim: Pick<Claim, "deviceId" | "control" | "source">, claimed: Caused): void;
  /** A claim has ended, or says nothing any more. */
  released(control: ControlPlace, released: Caused): void;
}

type ControlPlace = Pick<Claim, "deviceId" | "control">;
type Winner = Pick<Claim, "source" | "cause" | "createdAt">;

interface Caused {
  readonly at: number;
  readonly by: readonly string[];
}

const MOST_KNOWN = 10_000;
const NO_CAUSES: readonly string[] = [];
/** Before the id of an execution, in the cause of a claim that stands for it. */
const OF_EXECUTION = "execution:";

export function createRuleCauses(): RuleCauses {
  const variables = new Map<string, Caused>();
  const ended = new Map<string, Caused>();
  const claims = new Map<string, Caused>();
  const executions = new Map<string, readonly string[]>();
  const ofExecution = (id: string) => executions.get(id) ?? NO_CAUSES;

  function ofWinner(control: ControlPlace, { source, cause, createdAt }: Winner): Caused {
    const isCommand = cause?.startsWith(OF_EXECUTION) === true;
    if (isCommand) return { at: createdAt, by: ofExecution(cause.slice(OF_EXECUTION.length)) };
    return claims.get(keyOf(control, source)) ?? { at: createdAt, by: NO_CAUSES };
  }

  return {
    executed(executionId, by = NO_CAUSES) {
      if (by.length > 0) keep(executions, executionId, by);
    },
    ofExecution,
    variableSet: (siteId, name, set) => keep(variables, JSON.stringify([siteId, name]), set),
    ofVariable(siteId, name, at) {
      const set = variables.get(JSON.stringify([siteId, name]));
      return set?.at === at ? set.by : NO_CAUSES;
    },
    claimed: (claim, claimed) => keep(claims, keyOf(claim, claim.source), claimed),
    released: (control, released) => keep(ended, keyOf(control), released),
    ofControl(control, winner) {
      const last = ended.get(keyOf(control));
      const won = winner === undefined ? { at: 0, by: NO_CAUSES } : ofWinner(control, winner);
      return last !== undefined && last.at >= won.at ? last : won;
    },
  };
}

const keyOf = ({ deviceId, control }: ControlPlace, source?: string): string =>
  JSON.stringify([deviceId, control, source]);

function keep<Value>(known: Map<string, Value>, key: string, value: Value): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}
