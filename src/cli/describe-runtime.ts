import type { DeviceRuntime } from "#client/resources.ts";

/** One line: `QUARANTINED since ..., again at ...: src/main.lua:12: attempt to ...`. */
export function describeRuntime(runtime: DeviceRuntime): string {
  const { state, since, overrun, restart_at, memory_bytes, last_error, start_count } = runtime;
  const facts = [
    `${state} since ${since}`,
    overrun === null || overrun === undefined ? "" : overrunning(overrun),
    restart_at === null ? "" : `starts again at ${restart_at}`,
    start_count > 1 ? `started ${start_count} times` : "",
    memory_bytes === null ? "" : `${Math.ceil(memory_bytes / 1024)} KiB`,
  ];
  const line = facts.filter((fact) => fact !== "").join(", ");
  return last_error === null ? line : `${line}; last error at ${last_error.at}: ${placed(last_error)}`;
}

function overrunning({ activity, command, file, line }: NonNullable<DeviceRuntime["overrun"]>): string {
  const place = file === null ? "" : ` at ${file}${line === null ? "" : `:${line}`}`;
  return `${command === null ? activity : `command ${command}`}${place}`;
}

/** Lua puts the place before its message by itself, but not always. */
function placed({ file, line, message }: NonNullable<DeviceRuntime["last_error"]>): string {
  const place = file === null ? "" : `${file}${line === null ? "" : `:${line}`}: `;
  return message.startsWith(place) ? message : `${place}${message}`;
}
