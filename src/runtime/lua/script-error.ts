import { textOf } from "#drivers/lua-value.ts";
import type { ScriptError } from "./script-host.ts";

interface Raw {
  readonly message: string;
  readonly traceback?: string;
  readonly byLimit?: true;
}

/** Lua's message with the position at its beginning taken apart. */
export function parseScriptError(raw: Raw, isWithoutPositions: boolean): ScriptError {
  const text = textOf(raw.message)
    .replace(/^\[busbar\]:\d+: /, "")
    .slice(0, MAX_CHARACTERS);
  const limit = raw.byLimit ? { byLimit: raw.byLimit } : {};
  if (isWithoutPositions) return { message: text.replace(/^\?:\d+: /, ""), ...limit };
  const traceback =
    raw.traceback === undefined ? {} : { traceback: ownLines(textOf(raw.traceback)).slice(0, MAX_CHARACTERS) };
  const [, file, line] = /^([^\n:]+\.lua):(\d+):/.exec(text) ?? positionIn(traceback.traceback ?? "");
  const place = file === undefined ? {} : { file, line: Number(line) };
  return { message: text, ...place, ...traceback, ...limit };
}

const MAX_CHARACTERS = 4_096;

/** Without what the host's own Lua did to get there. */
function ownLines(traceback: string): string {
  return traceback
    .split("\n")
    .filter((line) => !/^\s*(?:\[busbar\]:|\(\.\.\.tail calls\.\.\.\)$)/.test(line))
    .map((line) => line.replace(/ <\[busbar\]:\d+>/, ""))
    .join("\n");
}

/** The innermost line of a file of the package, for errors that carry no position. */
function positionIn(traceback: string): readonly (string | undefined)[] {
  return /\n\s*([^\n:]+\.lua):(\d+):/.exec(traceback) ?? [];
}
