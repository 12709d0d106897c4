import { optionsAt, RuleProblem, textAt } from "#service/rule/rule-arguments.ts";
import { readTrigger, scheduleTrigger } from "./read-trigger.ts";
import type { Firing, TriggerSet } from "./trigger-set.ts";

interface Asking {
  /** Refuses by a `RuleProblem` when there are too many already. */
  readonly mayAdd?: () => void;
  readonly began?: (firing: Firing | undefined) => void;
}

/** What a script asks of its triggers; undefined: it asks for something else. */
export async function answerTrigger(
  set: TriggerSet,
  name: string,
  args: readonly unknown[],
  { mayAdd, began }: Asking = {},
): Promise<readonly unknown[] | undefined> {
  const add = async (trigger: unknown): Promise<readonly unknown[]> => {
    const rule = await readTrigger({ trigger, hasElse: args[1] === true });
    mayAdd?.();
    return [set.add(rule)];
  };
  try {
    switch (name) {
      case "on":
        return await add(args[0]);
      case "schedule":
        return await add(scheduleTrigger(args[0], optionsAt(args, 2)));
      case "off":
        set.remove(textAt(args, 0, 100));
        return [true];
      case "off_all":
        set.clear();
        return [true];
      case "fired": {
        const firing = set.began(textAt(args, 0, 1_000));
        began?.(firing);
        return [firing !== undefined];
      }
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof RuleProblem) return [null, error.message];
    throw error;
  }
}
