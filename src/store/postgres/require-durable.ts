// A server that may lose commits it has acknowledged is refused, at the start and by every new connection: after a restart,
// or on another server that took over, the settings may be others.
import type { ClientBase } from "pg";
import { refuse } from "#core/app-error.ts";

/** Settings with which a commit that was acknowledged survives a crash of the server. */
const SAFE: Readonly<Record<string, readonly string[]>> = {
  fsync: ["on"],
  full_page_writes: ["on"],
  synchronous_commit: ["on", "remote_apply", "remote_write", "local"],
};
const SETTINGS = `SELECT ${Object.keys(SAFE)
  .map((name) => `current_setting('${name}') AS ${name}`)
  .join(", ")}`;

/** Refuses the server at the start. */
export async function requireDurable(client: ClientBase): Promise<void> {
  const unsafe = await unsafeSettings(client);
  if (unsafe === undefined) return;
  throw new Error(
    `the database may lose commits that it has acknowledged (${unsafe}). Turn these settings on, or set ` +
      "database.allow_loss to true if that is acceptable",
  );
}

/** Refuses whatever a new connection was opened for. It is opened again for the next write, so that ends by itself. */
export async function refuseUnsafe(client: ClientBase, onChecked: OnChecked = () => {}): Promise<void> {
  const unsafe = await unsafeSettings(client);
  onChecked(unsafe);
  if (unsafe === undefined) return;
  throw refuse(
    "storage_unavailable",
    `the database may lose commits that it has acknowledged (${unsafe}); nothing is stored until these settings are on`,
  );
}

/** Called with the settings that are not safe, or with undefined when all are. */
export type OnChecked = (unsafe: string | undefined) => void;

export async function unsafeSettings(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<Readonly<Record<string, string>>>(SETTINGS);
  const unsafe = Object.entries(SAFE).flatMap(([name, values]) => {
    const value = rows[0]?.[name];
    return value !== undefined && values.includes(value) ? [] : [`${name}=${value}`];
  });
  return unsafe.length === 0 ? undefined : unsafe.join(", ");
}
