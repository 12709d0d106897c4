// A rule in Lua under test: the script runs in virtual time, as in a dry run, and sees what the scenario says instead of the past.
import { ConnectionError } from "#drivers/connection-error.ts";
import type { HttpRequest } from "#drivers/http/http-request.ts";
import type { LuaEngine } from "#runtime/lua/lua-engine.ts";
import { createPastSite, type PastFunction, type PastSource } from "#runtime/lua/rule/dry-run/past-site.ts";
import { type RunningScript, type ScriptRun, startScriptRun } from "#runtime/lua/rule/dry-run/script-run.ts";
import { createScriptStorage } from "#runtime/lua/rule/dry-run/simulate-script.ts";
import { cheapestAsked, cheapestThen, momentAsked, pricesThen } from "#service/rule/price-answers.ts";
import { nameAt, optionsAt, RuleProblem, textAt } from "#service/rule/rule-arguments.ts";
import { isVariableValue, VARIABLE_RULE } from "#service/rule/rule-variables.ts";
import type { ScenarioClock } from "./scenario-clock.ts";
import type { ScenarioSite } from "./scenario-site.ts";
import { type RequestEnd, withoutLogin } from "./scripted-requests.ts";
import type { RuleSink, TestedRule } from "./tested-rule.ts";

interface TestedScriptNeeds {
  readonly engine: LuaEngine;
  readonly script: RunningScript;
  readonly clock: ScenarioClock;
  readonly site: () => ScenarioSite;
  readonly sink: RuleSink;
}

const LONGEST_EXPLANATION = 1_000;

export function testedScript({ engine, script, clock, site, sink }: TestedScriptNeeds): TestedRule {
  const storage = createScriptStorage();
  const past = createPastSite({
    ...{ timezone: script.timezone, location: undefined, variables: new Map(), now: clock.now },
    source: sourceOf(site, sink),
    problem: (text) => sink.log("warning", text),
  });
  let run: ScriptRun | undefined;
  let memory: string | undefined;
  let seen = 0;

  function drain(): void {
    for (const { effect } of past.effects.slice(seen)) sink.effect(effect);
    seen = past.effects.length;
  }

  async function settle(): Promise<void> {
    await run?.settle();
    drain();
  }

  return {
    async begin() {
      run = startScriptRun({
        ...{ engine, script, site: past, clock, storage, memory, trace: sink.run },
        problem: (text) => sink.log("warning", text),
        log: sink.log,
        http: requestOf(site, sink),
        history: () => site().history,
        failed: sink.error,
        mayGoOn: () => true,
      });
      await settle();
      await this.tick();
    },
    end() {
      memory = run?.memory() ?? memory;
      run?.close();
      run = undefined;
    },
    async tick() {
      if (run === undefined || run.isDead()) return;
      await settle();
      if (run.hasTriggers()) await run.fire();
      await settle();
    },
    nextDue() {
      const due = run === undefined || run.isDead() ? Number.POSITIVE_INFINITY : run.nextDue();
      return Number.isFinite(due) ? due : undefined;
    },
    async ended({ device, ...end }) {
      run?.hear({ kind: "ended", device: [device], ...end });
      await this.tick();
    },
    claimed: (now) => past.bands.standing(now),
    isOn: () => undefined,
    stored: (key) => storage.read(key),
  };
}

/** A request that the scenario does not declare fails it: the script might do anything with nil. */
function requestOf(site: () => ScenarioSite, sink: RuleSink): (request: HttpRequest) => RequestEnd {
  return (request) => {
    const { method, body } = request;
    const url = withoutLogin(request.url);
    sink.request({ method, url, body: body === undefined ? "" : Buffer.from(body).toString("utf8") });
    const found = site().requests.answerTo(request);
    if (found !== undefined) return found;
    const problem = `the scenario declares no answer to ${method} ${url}`;
    sink.error(problem);
    return { afterMs: 0, answer: new ConnectionError("refused", problem) };
  };
}

function sourceOf(site: () => ScenarioSite, sink: RuleSink): PastSource {
  const deviceAt = (args: readonly unknown[]) => {
    const name = nameAt(args, 0, "a device");
    const device = site().device(name);
    if (device === undefined) throw new RuleProblem(`there is no device ${name}`);
    return { name, device };
  };
  const about = (name: string) => {
    const profiles = site().device(name)?.declared.implements ?? [];
    return { id: name, slug: name, name, implements: [...profiles] };
  };
  const functions: Readonly<Record<string, PastFunction>> = {
    device: (args) => [about(deviceAt(args).name)],
    devices: () => [site().deviceNames.map(about)],
    online: (args) => [deviceAt(args).device.condition !== "offline"],
    alerts: (args) => [[...deviceAt(args).device.alerts]],
    property(args) {
      const property = nameAt(args, 1, "the name of a property");
      const { name, device } = deviceAt(args);
      if (device.properties.has(property)) return [device.properties.get(property)];
      throw new RuleProblem(`device ${name} has no property ${property}`);
    },
    variable(args) {
      const name = nameAt(args, 0, "the name of a variable");
      const found = site().variable(name);
      if (found === undefined) throw new RuleProblem(`the site has no variable ${name}`);
      return [found.value];
    },
    set_variable(args, watch) {
      const [name, value] = [nameAt(args, 0, "the name of a variable"), args[1]];
      if (!isVariableValue(value)) throw new RuleProblem(VARIABLE_RULE);
      if (site().variable(name)?.value === value) return [true];
      watch.acted(`set ${name} = ${String(value).slice(0, 100)}`);
      site().setVariable(name, value);
      sink.effect({ kind: "set", variable: name, value, key: "", causes: [] });
      return [true];
    },
    execute(args, watch) {
      const { name: device } = deviceAt(args);
      const command = nameAt(args, 1, "the name of a command");
      watch.acted(`execute ${command} of ${device}`);
      sink.effect({ kind: "execute", device, command, arguments: optionsAt(args, 2), key: command, causes: [] });
      return site().endOf(device, command) === "success"
        ? ["SUCCESS", {}]
        : ["ERROR", { message: "the scenario says so" }];
    },
    explain(args) {
      sink.explain(textAt(args, 0, LONGEST_EXPLANATION));
      return [true];
    },
    tariff_at(args) {
      const at = momentAsked(args, site().world().now);
      return pricesThen(site().prices, at);
    },
    tariff_cheapest: (args) => cheapestThen(site().prices, cheapestAsked(args, site().world().now)),
    calendar_now(args) {
      const name = nameAt(args, 0, "the name of a calendar");
      const { calendar, now } = site().world();
      const state = calendar(name, now);
      if (state === undefined) throw new RuleProblem(`the site has no calendar ${name}`);
      const { isOn, value, until } = state;
      const end = until === undefined ? {} : { until: until / 1_000 };
      return [{ on: isOn, ...(value === undefined ? {} : { value }), ...end }];
    },
  };
  return {
    functions,
    world: () => site().world(),
    async column({ device: name, attribute }) {
      const device = site().device(name);
      if (device === undefined) return { problem: `there is no device ${name}` };
      if (!device.measures.has(attribute)) return { problem: `the device has no telemetry attribute ${attribute}` };
      // They grow as time passes.
      return { samples: site().samplesOf(device, attribute), type: "float", usualMs: device.everyMs };
    },
    async controlProblem(name, control) {
      const device = site().device(name);
      if (device === undefined) return `there is no device ${name}`;
      return device.declared.controls.has(control) ? undefined : `the device has no control ${control}`;
    },
    ask: async (name) => [null, `${name} is not simulated in scenarios`],
  };
}
