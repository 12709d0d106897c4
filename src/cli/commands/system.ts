import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { printRecord, printTable } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import type { SystemLogLine } from "#client/resources.ts";

export function addSystemCommand(system: Command, cli: Cli): void {
  addConnectionOptions(system)
    .option("-o, --output <format>", "how to print: table, json or yaml", "table")
    .option("--log", "the latest lines of the server's own log, newest first")
    .action(async (flags: ClientFlags & { readonly log?: boolean }) => {
      const { client, wait } = await openSession(cli, flags);
      if (flags.log === true) {
        const answer = await wait(client.system.log());
        await printTable(cli, flags, { answer, rows: answer.lines, columns: LINES });
        return;
      }
      const answer = await wait(client.system.get());
      const { process, storage, broker, buffers, shares, ...rest } = answer.system;
      const full = buffers.filter(({ used_bytes: used, limit_bytes: limit }) => used > limit / 2);
      await printRecord(cli, flags, {
        answer,
        fields: {
          version: `${rest.version} (Node ${process.node}, ${process.platform})`,
          role: rest.role,
          started: rest.started_at,
          nodes: String(rest.nodes),
          memory: megabytes(process.memory_bytes),
          "main thread": `${Math.round(process.main_thread_busy * 100)} % busy, ${Math.round(process.event_loop_delay_ms)} ms late`,
          storage: `${storage.kind}, ${megabytes(storage.files.reduce((sum, { bytes }) => sum + bytes, 0))}, ${megabytes(storage.free_bytes)} free`,
          retention: storage.retention,
          broker: `${broker.kind}, ${broker.connections ?? "unknown"} connections`,
          "hosted devices":
            Object.entries(rest.hosted_devices)
              .map(([state, count]) => `${count} ${state}`)
              .join(", ") || "none",
          "buffers over half": full.map(({ name }) => name).join(", ") || "none",
          waiting:
            shares
              .filter(({ waiting }) => waiting > 0)
              .map(({ name, waiting }) => `${waiting} ${name}`)
              .join(", ") || "none",
        },
      });
    });
  addExamples(system, "system", "system --log", "system -o json");
}

const LINES: Columns<SystemLogLine> = {
  at: ({ at }) => at,
  level: ({ level }) => level,
  subject: ({ subject }) => subject ?? "",
  message: ({ message }) => message,
  details: ({ details }) => (details === "{}" ? "" : details),
};

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
