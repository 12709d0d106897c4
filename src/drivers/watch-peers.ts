// Whether a device can talk, as its calls show: a script may pass over every failure, and people must know all the same.

import type { ConnectionError } from "#drivers/connection-error.ts";
import { type LuaValue, textOf } from "#drivers/lua-value.ts";
import { ALL_DRIVERS } from "./all-drivers.ts";

export interface PeerWatch {
  succeeded(call: string, args: readonly LuaValue[], results: readonly LuaValue[]): void;
  failed(call: string, args: readonly LuaValue[], error: ConnectionError): void;
  /** The configuration has changed: what was wrong may be right now. */
  forget(): void;
}

/** Failures in a row, without one answer, after which a peer counts as silent. */
const SILENT_AFTER = 3;
/** Peers that are remembered; a script can name any number. */
const MAX_BLOCKED = 16;
const MAX_TEXT = 500;
const OPENING: ReadonlySet<string> = new Set(["port.open", ...ALL_DRIVERS.flatMap(({ opening }) => opening)]);
const LOCAL: ReadonlySet<string> = new Set(ALL_DRIVERS.flatMap(({ local }) => local));

/** `report` is called with what is wrong when that changes, and with undefined when the device can talk again. */
export function watchPeers(report: (problem: string | undefined) => void): PeerWatch {
  /** What keeps the device from a peer at all, by what it asked for. */
  const blocked = new Map<string, string>();
  let failures = 0;
  let silence: string | undefined;
  let reported: string | undefined;

  function reportProblem(): void {
    const [first] = blocked.values();
    const problem = first ?? silence;
    if (problem === reported) return;
    reported = problem;
    report(problem);
  }

  function block(key: string, text: string): void {
    if (blocked.size < MAX_BLOCKED || blocked.has(key)) blocked.set(key, text.slice(0, MAX_TEXT));
  }

  function countFailure(text: string): void {
    failures += 1;
    if (failures >= SILENT_AFTER) silence = text.slice(0, MAX_TEXT);
  }

  return {
    succeeded(call, args, results) {
      if (OPENING.has(call)) blocked.delete(keyOf(call, args));
      else if (isSilentReading(call, results)) silence = "the device does not answer";
      else if (isFailedBatch(call, results)) countFailure("none of several requests was answered");
      else if (!LOCAL.has(call)) {
        blocked.delete(keyOf(call, args));
        failures = 0;
        silence = undefined;
      }
      reportProblem();
    },
    failed(call, args, { code, message }) {
      const isOpening = OPENING.has(call);
      if (code === "missing" || (isOpening && (code === "refused" || code === "invalid" || code === "unsupported")))
        block(keyOf(call, args), message);
      else if (code === "refused") silence = message.slice(0, MAX_TEXT);
      else if (code === "connection" || code === "timeout") {
        countFailure(message);
      } else if (code === "exception") {
        // An exception is an answer.
        failures = 0;
        silence = undefined;
      }
      reportProblem();
    },
    forget() {
      blocked.clear();
      failures = 0;
      silence = undefined;
      reportProblem();
    },
  };
}

/** What a call is about: the address, or the name of a port. Other handles are numbers. */
function keyOf(call: string, args: readonly LuaValue[]): string {
  const named = call === "port.open" ? args[1] : args[0];
  return textOf(String(named ?? ""))
    .replace(/^port:\/\//, "")
    .replace(/\?.*$/s, "");
}

/** Of a batch each request fails for itself. */
function isFailedBatch(call: string, [answers]: readonly LuaValue[]): boolean {
  const isBatch = call === "modbus.read_all" || call === "modbus.write_all";
  return (
    isBatch &&
    Array.isArray(answers) &&
    answers.length > 0 &&
    answers.every((answer) => answer instanceof Map && answer.has("errmsg"))
  );
}

/** A read of a register map is a result, also where nobody answered. */
function isSilentReading(call: string, [reading]: readonly LuaValue[]): boolean {
  return call === "modbus.map_read" && reading instanceof Map && reading.get("is_silent") === true;
}
