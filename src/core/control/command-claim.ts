// A command that somebody executes on a controlled argument counts as a claim, once it has succeeded.
import type { Door } from "#core/access/door.ts";
import type { Plan } from "#core/command/plan-command.ts";
import { type Claim, RULE_CALLER, sourceOfCaller } from "./claim.ts";
import { type Control, valueOfArgument } from "./control.ts";

/** How long it counts. A rule that still wants it says so again. */
const LEASE_MS = 3_600_000;
const RULE_LEASE_MS = 60_000;

/** The controls that the command sets, and to what. */
export function commandedValues(
  controls: ReadonlyMap<string, Control>,
  { command, arguments: values }: Pick<Plan, "command" | "arguments">,
): readonly { readonly control: Control; readonly value: number }[] {
  return [...controls.values()].flatMap((control) => {
    const value = valueOfArgument(control, values[control.argument]);
    return control.command !== command.id || value === undefined ? [] : [{ control, value }];
  });
}

/** Who executes it: a schedule, or the holder of a token. */
export interface CommandSource {
  readonly tokenId: string;
  readonly scheduleId: string | undefined;
  readonly door?: Door | undefined;
}

interface Commanded extends Pick<Claim, "id" | "deviceId" | "control" | "cause">, CommandSource {
  readonly value: number;
  /** As declared in the manifest. */
  readonly command: string;
  readonly now: number;
}

/** A schedule counts less than a person, and ends no claim of the person who made it. So does a rule. */
export function claimOfCommand({ tokenId, scheduleId, command, now, ...given }: Commanded): Claim {
  const isRule = tokenId.startsWith(RULE_CALLER);
  return {
    ...given,
    kind: "target",
    class: scheduleId === undefined && !isRule ? "person" : "rule",
    source: scheduleId === undefined ? sourceOfCaller(tokenId) : `schedule:${scheduleId}`,
    reason: `executed ${command}`,
    leaseUntil: now + (isRule ? RULE_LEASE_MS : LEASE_MS),
    createdAt: now,
  };
}

/** The claim of a command takes over: it ends the targets of its class, and the target of its own source. */
export function isEndedBy(one: Claim, claim: Claim): boolean {
  return one.kind === "target" && (one.class === claim.class || one.source === claim.source);
}
