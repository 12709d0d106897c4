// `busbar migrate`: an installation from a data folder to PostgreSQL, or back.
import { resolve } from "node:path";
import { requireDatabaseAddress } from "#core/net/database-address.ts";
import { type Moved, move } from "#store/move/move.ts";
import type { MoveSide } from "#store/move/move-side.ts";

export interface MigrateOptions {
  /** A data folder or the address of a PostgreSQL database, one of each. */
  readonly from: string;
  readonly to: string;
  readonly say: (text: string) => void;
}

const SAY_EVERY_MS = 2_000;

export async function migrate({ from, to, say }: MigrateOptions): Promise<Moved> {
  const damaged: string[] = [];
  const open = async (place: string, role: "from" | "to"): Promise<MoveSide> => {
    const onDamaged = (at: object) => void damaged.push(JSON.stringify(at));
    if (isUrl(place)) {
      const { openDatabaseForMove } = await import("#store/series/postgres/open-for-move.ts");
      return await openDatabaseForMove(place, {
        role,
        source: isUrl(from) ? withoutSecret(from) : resolve(from),
        onDamaged,
      });
    }
    const { openFolderForMove } = await import("#store/sqlite/open-for-move.ts");
    return await openFolderForMove(resolve(place), role, onDamaged);
  };
  say("sealing the open hours");
  const source = await open(from, "from");
  try {
    if (damaged.length > 0) {
      throw new Error(`some of the telemetry is damaged and would be left behind: ${damaged.slice(0, 5).join("; ")}`);
    }
    const target = await open(to, "to");
    try {
      let said = performance.now();
      return await move(source, target, ({ devices, points, bytes }) => {
        if (performance.now() - said < SAY_EVERY_MS) return;
        said = performance.now();
        say(
          `${devices} devices, ${points} points, ${(bytes / 1024 / 1024).toFixed(1)} MiB of telemetry are moved and compared`,
        );
      });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function isUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

function withoutSecret(url: string): string {
  const { servers } = requireDatabaseAddress(url);
  return `${servers.map(({ host, port }) => `${host}:${port}`).join()}${new URL(servers[0]?.url ?? url).pathname}`;
}
