import type { ScriptError } from "./script-host.ts";

/**
 * What everyone who sees the device may know of an error, as its log and status tell it. What a handler failed with is part of the
 * command's execution, which takes the command's own level to read; a limit's words are ours.
 */
export function openError(error: ScriptError): ScriptError {
  const { command, file, line } = error;
  if (command === undefined || error.byLimit) return error;
  const words = `the handler of command ${command} failed; its execution says why`;
  return file === undefined || line === undefined
    ? { message: words }
    : { message: `${file}:${line}: ${words}`, file, line };
}
