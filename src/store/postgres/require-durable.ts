import type { ClientBase } from "pg";

/** Settings with which a commit that was acknowledged survives a crash of the server. */
const SAFE: Readonly<Record<string, readonly string[]>> = {
  fsync: ["on"],
  full_page_writes: ["on"],
  synchronous_commit: ["on", "remote_apply", "remote_write", "local"],
};

/** Refuses a server that may lose commits it has acknowledged, unless the operator allows that. */
export async function requireDurable(client: ClientBase, allowLoss: boolean): Promise<void> {
  const unsafe: string[] = [];
  for (const [setting, values] of Object.entries(SAFE)) {
    const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [setting]);
    const value = rows[0]?.value;
    if (value === undefined || !values.includes(value)) unsafe.push(`${setting}=${value}`);
  }
  if (unsafe.length === 0 || allowLoss) return;
  throw new Error(
    `the database may lose commits that it has acknowledged (${unsafe.join(", ")}). Turn these settings on, or set ` +
      "database.allow_loss to true if that is acceptable",
  );
}
