// What scripts of rules do: commands and claims, by the same operations as everybody, as a caller of their own.
import type { Device } from "#core/device/device.ts";
import { LONGEST_RULE_TEXT, SEVERITIES } from "#core/rule/rule.ts";
import { say } from "#core/rule/run-phrases.ts";
import { LONGEST_EXPLANATION, type SiteRule } from "#core/rule/site-rule.ts";
import { durationProblem } from "#core/time/duration.ts";
import type { Controls } from "#service/control/controls.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Operations } from "#service/operation/perform.ts";
import type { Call, Needs } from "#service/ports.ts";
import { nameAt, optionsAt, RuleProblem, textAt, windowOf } from "./rule-arguments.ts";
import { callOfRule } from "./rule-caller.ts";
import type { RuleCauses } from "./rule-causes.ts";
import type { RuleFunction, RuleWatch } from "./rule-function.ts";

export interface ActForRuleNeeds extends Pick<Needs, "devices" | "now"> {
  readonly operations: Pick<Operations, "perform">;
  readonly controlling: Pick<Controls, "controlsOfDevice" | "view" | "controlled">;
  readonly ruleCauses: Pick<RuleCauses, "claimed" | "released" | "variableSet">;
  /** What the rule says about what it does. */
  readonly explained: (ruleId: string, text: string) => void;
  readonly notify: (rule: SiteRule, message: RuleMessage) => Promise<void>;
}

interface RuleMessage {
  readonly text: string;
  readonly title: string | undefined;
  readonly severity: (typeof SEVERITIES)[number];
  /** The same message has the same key: it is sent once. Undefined: each one is new. */
  readonly key: string | undefined;
}

const LONGEST_REASON = 200;
const USUAL_LEASE_MS = 60_000;

export function actingFunctions(needs: ActForRuleNeeds): Readonly<Record<string, RuleFunction>> {
  return {
    execute: (call, args, { watch }) => execute(needs, call, { args, watch }),
    claim: (call, args, { watch }) => claim(needs, call, { args, watch }),
    release: (call, args, { watch }) => release(needs, call, { args, watch }),
    async explain(_call, args, { rule }) {
      needs.explained(rule.id, textAt(args, 0, LONGEST_EXPLANATION));
      return [true];
    },
    notify: (_call, args, from) => notify(needs, args, from),
  };
}

interface Given {
  readonly args: readonly unknown[];
  readonly watch: RuleWatch;
}

/** For people. */
async function nameOf(needs: ActForRuleNeeds, call: Call, device: string): Promise<string> {
  return (await needs.devices.findIn(device, call.caller.sites))?.slug ?? device;
}

interface Executed {
  readonly execution: { readonly state: string; readonly response?: { readonly payload?: unknown } | null };
}

/**
 * The final state and the payload. With a key the same call runs once: the key names the moment for which the script runs, and
 * counts the calls of that run.
 */
async function execute(needs: ActForRuleNeeds, call: Call, { args, watch }: Given) {
  const device = nameAt(args, 0, "a device");
  const body = { name: nameAt(args, 1, "the name of a command"), arguments: optionsAt(args, 2) };
  const key = typeof args[3] === "string" ? { "idempotency-key": `${call.caller.tokenId}:${args[3]}` } : {};
  const input = { params: { device_id: device }, body, headers: key };
  watch.acted(say("execute", { command: body.name, device: await nameOf(needs, call, device) }));
  const answer = (await needs.operations.perform(call, "executeCommand", input)) as Executed;
  const { state, response } = answer.execution;
  return [state, response?.payload ?? {}];
}

async function claim(needs: ActForRuleNeeds, call: Call, { args, watch }: Given) {
  const control = nameAt(args, 1, "the name of a control");
  const options = optionsAt(args, 3);
  const value = args[2] === undefined ? null : args[2];
  const lease = options["lease"] ?? undefined;
  const leaseMs = lease === undefined ? USUAL_LEASE_MS : windowOf(lease, "lease");
  const leaseText = `${Math.ceil(leaseMs)}ms`;
  if (durationProblem(leaseText) !== undefined) throw new RuleProblem("lease must be a duration such as 1m");
  const kind = options["kind"] ?? "target";
  const reason = textAt([options["reason"] ?? call.caller.tokenName], 0, LONGEST_REASON) || call.caller.tokenName;
  const device = await visibleDevice(needs, call, nameAt(args, 0, "a device"));
  const known = (await needs.controlling.controlsOfDevice(device)).get(control);
  let isHeld = false;
  if (known !== undefined) {
    const { claims } = await needs.controlling.view(device.id, known);
    const former = claims.find((one) => one.source === call.caller.tokenId && one.kind === kind);
    const isSame = former?.value === value && former.reason === reason && former.class === "rule";
    // Re-asserting each second is the heartbeat of a rule. It is written when half of the lease is over.
    if (isSame && former.leaseUntil - needs.now() > leaseMs / 2) return [true];
    isHeld = former?.value === value;
  }
  // To hold on to a claim is no news.
  if (!isHeld) {
    watch.acted(
      say("claim_value", { control, device: device.slug, kind: String(kind), value: String(value).slice(0, 40) }),
    );
    const [place, caused] = [
      { deviceId: device.id, control },
      { at: needs.now(), by: call.causes ?? [] },
    ];
    if (value === null) needs.ruleCauses.released(place, caused);
    else needs.ruleCauses.claimed({ ...place, source: call.caller.tokenId }, caused);
  }
  const body = { value, kind, reason, class: "rule", lease: leaseText };
  await needs.operations.perform(call, "claimControl", { params: { device_id: device.id, control }, body });
  return [true];
}

/** All claims of the rule on the control, or on all controls of the device; of one kind, or of all. */
async function release(needs: ActForRuleNeeds, call: Call, { args, watch }: Given) {
  const device = await visibleDevice(needs, call, nameAt(args, 0, "a device"));
  const given = (index: number, what: string) =>
    args[index] === undefined || args[index] === null ? undefined : nameAt(args, index, what);
  const only = { control: given(1, "the name of a control"), kind: given(2, "the kind of a claim") };
  const released = await releaseOn(needs, call, { device, ...only });
  if (released > 0) {
    const of = { device: device.slug, control: only.control ?? "" };
    watch.acted(only.control === undefined ? say("release_all", of) : say("release", of));
  }
  return [released];
}

async function notify(needs: ActForRuleNeeds, args: readonly unknown[], { rule, watch }: Parameters<RuleFunction>[2]) {
  const text = textAt(args, 0, LONGEST_RULE_TEXT);
  if (text === "") throw new RuleProblem(`a message is a text of 1 to ${LONGEST_RULE_TEXT} characters`);
  const options = optionsAt(args, 1);
  const title = options["title"] === undefined ? undefined : textAt([options["title"]], 0, LONGEST_REASON);
  const severity = SEVERITIES.find((one) => one === (options["severity"] ?? "info"));
  if (severity === undefined) throw new RuleProblem(`severity must be one of ${SEVERITIES.join(", ")}`);
  watch.acted(say("notify", { message: text }));
  await needs.notify(rule, { text, title, severity, key: typeof args[2] === "string" ? args[2] : undefined });
  return [true];
}

interface Released {
  readonly device: Device;
  /** Undefined: all. */
  readonly control?: string | undefined;
  readonly kind?: string | undefined;
}

async function releaseOn(needs: ActForRuleNeeds, call: Call, { device, ...only }: Released): Promise<number> {
  let released = 0;
  for (const control of (await needs.controlling.controlsOfDevice(device)).values()) {
    if (only.control !== undefined && control.id !== only.control) continue;
    for (const one of (await needs.controlling.view(device.id, control)).claims) {
      if (one.source !== call.caller.tokenId || (only.kind ?? one.kind) !== one.kind) continue;
      const params = { device_id: device.id, control: control.id, claim_id: one.id };
      needs.ruleCauses.released(one, { at: needs.now(), by: call.causes ?? [] });
      await needs.operations.perform(call, "releaseClaim", { params });
      released += 1;
    }
  }
  return released;
}

/** For a rule that nobody wants to run any more: what it wanted must not outlive it. */
export async function releaseAllOf(needs: ActForRuleNeeds, rule: SiteRule): Promise<void> {
  const call = callOfRule(rule, "releaseClaim");
  for (const deviceId of await needs.controlling.controlled()) {
    const device = await needs.devices.findIn(deviceId, call.caller.sites);
    if (device !== undefined) await releaseOn(needs, call, { device });
  }
}
