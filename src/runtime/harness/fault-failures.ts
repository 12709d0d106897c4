import type { Failure } from "#core/scenario/test-report.ts";
import type { ScriptError } from "#runtime/lua/script-host.ts";
import type { HappeningOf } from "./scenario-event.ts";

/** Errors that nothing caught and no step expected, each once. */
export function faultFailures(
  faults: readonly HappeningOf<"fault">[],
  wanted: ReadonlySet<ScriptError>,
): readonly Failure[] {
  const seen = new Map<string, Failure>();
  for (const { at, error } of faults) {
    if (wanted.has(error)) continue;
    const failure = failureOf(error);
    const key = JSON.stringify(failure);
    const before = seen.get(key);
    seen.set(key, before === undefined ? { ...failure, at } : { ...before, count: (before.count ?? 1) + 1 });
  }
  return [...seen.values()];
}

const PLACE = /([^\s:'"]+\.lua):(\d+): ?/;

/** The message without the place that it begins with, and the script's own lines of the traceback. */
function failureOf({ message, file, line, traceback }: ScriptError): Failure {
  const [found, foundFile, foundLine] = PLACE.exec(message) ?? [];
  const script =
    file !== undefined && line !== undefined
      ? { file, line }
      : foundFile === undefined
        ? undefined
        : { file: foundFile, line: Number(foundLine) };
  const words = found === undefined ? message : message.slice(message.indexOf(found) + found.length);
  const own = (traceback ?? "")
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => /^[^[(].*:\d+:/.test(one));
  return {
    kind: "lua",
    message: words,
    ...(script === undefined ? {} : { script }),
    // One line says no more than the place itself.
    ...(own.length > 1 ? { traceback: own.join("\n") } : {}),
  };
}
