import type { RunningActivity } from "./script-host.ts";

/** The line of the device's log about an activity that lasts too long. */
export function overrunWords(activity: RunningActivity, overrunMs = 10_000): string {
  const place = activity.file === undefined ? "" : ` (now at ${activity.file}:${activity.line})`;
  const name = activity.command === undefined ? "" : ` ${activity.command}`;
  return `${NAMES[activity.kind]}${name} has run for more than ${overrunMs / 1000} s${place}; everything else of this device waits for it`;
}

const NAMES: Readonly<Record<RunningActivity["kind"], string>> = {
  main: "the first run of the script",
  command: "the handler of the command",
  configuration: "a function of configuration.after_write",
  connection: "the function of on_connection_status_changed",
  job: "a job",
  trigger: "the function of a trigger",
};
