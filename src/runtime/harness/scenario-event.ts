// What happens in a scenario, in order. Expectations look at it, and the timeline shows it.
import type { LogSeverity } from "#core/device/device-message.ts";
import { hex } from "#drivers/can/hex.ts";
import type { PeerHappening } from "#drivers/scripted-peer.ts";
import type { ScriptError } from "#runtime/lua/script-host.ts";

export type Happening = { readonly at: number } & (
  | { readonly kind: "telemetry" | "properties"; readonly values: ReadonlyMap<string, unknown> }
  | { readonly kind: "alert"; readonly name: string; readonly isActive: boolean }
  | { readonly kind: "log"; readonly text: string; readonly severity: LogSeverity }
  | { readonly kind: "command"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | {
      readonly kind: "response";
      readonly id: string;
      readonly state: "IN_PROGRESS" | "SUCCEEDED" | "ERROR";
      readonly payload: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "fault"; readonly error: ScriptError }
  | PeerHappening
);

export type Kind = Happening["kind"];
export type HappeningOf<K extends Kind> = Extract<Happening, { readonly kind: K }>;

/** One line of a timeline. */
export function describeHappening(happening: Happening): string {
  switch (happening.kind) {
    case "telemetry":
      return `telemetry ${fields(happening.values)}`;
    case "properties":
      return `properties ${fields(happening.values)}`;
    case "alert":
      return `alert ${happening.name} ${happening.isActive ? "raised" : "cleared"}`;
    case "log":
      return `log ${happening.severity}: ${happening.text}`;
    case "command":
      return `command ${happening.name} ${json(happening.arguments)}`;
    case "response":
      return `${happening.state} ${json(happening.payload)}`;
    case "fault":
      return `Lua error: ${happening.error.message.replaceAll(/\s+/g, " ")}`;
    case "write":
      return `${happening.peer} ← ${happening.table} ${happening.first} of unit ${happening.unit} = ${happening.values.join(" ")}`;
    case "request":
      return `${happening.peer} ← ${happening.method} ${happening.path}${happening.body === "" ? "" : ` ${json(happening.body)}`}`;
    case "frame":
      return `${happening.peer} ← frame 0x${happening.id.toString(16)} ${hex(happening.data)}`;
    case "bytes":
      return `${happening.peer} ← ${json(happening.bytes)}`;
    case "published":
      return `${happening.peer} ← ${happening.topic} ${json(happening.payload)}`;
    case "output":
      return `${happening.peer} ← ${happening.quantity} ${happening.value}`;
    case "note":
      return typeof happening.text === "string" ? happening.text : happening.text();
  }
}

const LONGEST = 160;

function fields(values: ReadonlyMap<string, unknown>): string {
  // By name: the order of a Lua table means nothing.
  const sorted = [...values].sort(([one], [other]) => (one < other ? -1 : 1));
  return cut(sorted.map(([name, value]) => `${name}=${json(value)}`).join(" "));
}

export function json(value: unknown): string {
  return cut(JSON.stringify(value, short) ?? "nothing");
}

/** A float32 as a person would write it: 51.2, not 51.20000076293945. */
function short(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return value;
  return Number(value.toPrecision(Math.fround(value) === value ? 7 : 12));
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
