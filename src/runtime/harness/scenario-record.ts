// Everything that happened in one scenario, and what the device is like by now.
import type { Blueprint, Command } from "#core/blueprint/blueprint.ts";
import { attributesOf, listsAlerts } from "#service/telemetry/attributes.ts";
import type { Happening, HappeningOf, Kind } from "./scenario-event.ts";

type WithoutTime<T> = T extends unknown ? Omit<T, "at"> : never;

/** A command, as far as it has come. */
export interface RunningCommand {
  readonly id: string;
  /** Who gave it: a step, or a control that somebody claims. */
  readonly by: "step" | "control";
  readonly command: Command;
  readonly responses: HappeningOf<"response">[];
  /** Why an interlock refused it. The script never heard of it. */
  readonly refusal: string | undefined;
  /** Whether somebody has said what was expected of its end. */
  isJudged: boolean;
}

export class ScenarioRecord {
  readonly blueprint: Blueprint;
  readonly all: Happening[] = [];
  readonly commands: RunningCommand[] = [];
  readonly activeAlerts = new Set<string>();
  readonly #now: () => number;
  /** By attribute: alerts may come in several. */
  readonly #listed = new Map<string, readonly string[]>();
  readonly #latest = new Map<string, { readonly value: unknown; readonly at: number }>();

  constructor(blueprint: Blueprint, now: () => number) {
    this.blueprint = blueprint;
    this.#now = now;
  }

  readonly happened = (happening: WithoutTime<Happening>): void => {
    // `at` completes whichever it is.
    this.all.push({ ...happening, at: this.#now() } as Happening);
    if (happening.kind === "telemetry") {
      this.#followAlerts(happening.values);
      this.#keepLatest(happening.values);
    }
    if (happening.kind === "response") {
      const { id } = happening;
      this.commands.find((one) => one.id === id)?.responses.push({ ...happening, at: this.#now() });
    }
  };

  /** The latest command that a step gave. */
  get latestCommand(): RunningCommand | undefined {
    return this.commands.findLast(({ by }) => by === "step");
  }

  /** The value of a telemetry attribute that was sent last. */
  latest(attribute: string): { readonly value: unknown; readonly at: number } | undefined {
    return this.#latest.get(attribute);
  }

  #keepLatest(values: ReadonlyMap<string, unknown>): void {
    const attributes = attributesOf(this.blueprint);
    for (const [name, value] of values) {
      const id = attributes.get(name)?.id;
      if (id !== undefined && value !== null) this.#latest.set(id, { value, at: this.#now() });
    }
  }

  since<K extends Kind>(from: number, kind: K): readonly HappeningOf<K>[] {
    return this.all.slice(from).filter((one): one is HappeningOf<K> => one.kind === kind);
  }

  /** A list that is absent says nothing: what was active stays so. */
  #followAlerts(values: ReadonlyMap<string, unknown>): void {
    const attributes = attributesOf(this.blueprint);
    let isNew = false;
    for (const [name, value] of values) {
      const attribute = attributes.get(name);
      if (attribute === undefined || !listsAlerts(attribute) || !Array.isArray(value)) continue;
      this.#listed.set(
        attribute.id,
        value.filter((item) => typeof item === "string"),
      );
      isNew = true;
    }
    if (!isNew) return;
    const active = new Set([...this.#listed.values()].flat());
    for (const name of this.activeAlerts) {
      if (active.has(name)) continue;
      this.activeAlerts.delete(name);
      this.happened({ kind: "alert", name, isActive: false });
    }
    for (const name of active) {
      if (this.activeAlerts.has(name)) continue;
      this.activeAlerts.add(name);
      this.happened({ kind: "alert", name, isActive: true });
    }
  }
}

/** How a command ended; undefined while it runs. */
export function outcomeOf({ responses }: RunningCommand): HappeningOf<"response"> | undefined {
  return responses.find(({ state }) => state !== "IN_PROGRESS");
}

/** What a response says: its message, else all of it. */
export function messageOf({ payload }: HappeningOf<"response">): string {
  const { message } = payload;
  return typeof message === "string" ? message : JSON.stringify(payload);
}
