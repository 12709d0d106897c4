import type { ScriptError } from "./script-host.ts";

/**
 * The part of an error that everyone who sees the device may know, for its log and status. A handler's error belongs to
 * the command's execution, which requires the command's own level; the text of a limit is ours.
 */
export function openError(error: ScriptError): ScriptError {
  const { command, file, line } = error;
  if (command === undefined || error.byLimit) return error;
  const words = `the handler of command ${command} failed; its execution says why`;
  return file === undefined || line === undefined
    ? { message: words }
    : { message: `${file}:${line}: ${words}`, file, line };
}
