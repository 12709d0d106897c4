import { client } from "#web/data/client.ts";
import { fleet } from "#web/data/fleet.svelte.ts";
import type { Target } from "./audit-view.ts";

/** Null: there is no such thing any more, or the session does not see it. */
let known = $state.raw<ReadonlyMap<string, string | null>>(new Map());
const asked = new Set<string>();

/** Names of what the audit log names by id, each read once while the log is open. */
export const names = {
  /** Undefined while it is read. */
  of: ({ kind, id }: Target): string | null | undefined =>
    kind === "site" ? (fleet.sites.find((site) => site.id === id)?.name ?? known.get(id)) : known.get(id),

  learn(id: string, name: string): void {
    asked.add(id);
    known = new Map(known).set(id, name);
  },

  read(targets: Iterable<Target>): void {
    for (const target of targets) {
      if (asked.has(target.id)) continue;
      asked.add(target.id);
      void find(target)
        .catch(() => null)
        .then((name) => {
          known = new Map(known).set(target.id, name);
        });
    }
  },

  forget(): void {
    asked.clear();
    known = new Map();
  },
};

async function find({ kind, id }: Target): Promise<string | null> {
  switch (kind) {
    case "device":
      return (await client.devices.get(id)).device.name;
    case "site":
      return (await client.sites.get(id)).site.name;
    case "blueprint":
      return (await client.blueprints.get(id)).blueprint.display_name ?? null;
    case "token":
      // There is no call for one token: the screen learns their names from the list.
      return null;
  }
}
