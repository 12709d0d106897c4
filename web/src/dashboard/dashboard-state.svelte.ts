import { ApiError } from "#client/errors.ts";
import type { DashboardTile, SavedView, ViewHead } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { addTile, type Pin, type Tiles } from "./arrange.ts";

/** The dashboards of a site, and the one that is shown. */
export class Dashboards {
  readonly siteId: string;
  list: readonly ViewHead[] | undefined = $state.raw();
  current: SavedView | undefined = $state.raw();
  failure: unknown = $state.raw();
  #asked: string | undefined;

  constructor(siteId: string) {
    this.siteId = siteId;
  }

  async loadList(): Promise<readonly ViewHead[]> {
    this.list = await listDashboards(this.siteId);
    return this.list;
  }

  /** An answer that comes after somebody went on to another dashboard is not shown. */
  async open(id: string): Promise<void> {
    this.#asked = id;
    try {
      const { view } = await client.views.get(this.siteId, id);
      if (this.#asked !== id) return;
      this.current = view;
      this.failure = undefined;
    } catch (error) {
      if (this.#asked !== id) return;
      this.current = undefined;
      this.failure = error;
    }
  }

  async change(change: { tiles?: Tiles; name?: string; is_start?: boolean; is_shared?: boolean }): Promise<void> {
    const { current } = this;
    if (current === undefined) return;
    const { tiles, ...rest } = change;
    const content = tiles === undefined ? {} : { content: { tiles: [...tiles] } };
    const { view } = await client.views.update(this.siteId, current.id, {
      revision: current.revision,
      ...rest,
      ...content,
    });
    this.current = view;
    await this.loadList();
  }

  async create(name: string, isShared: boolean): Promise<string> {
    const id = await createDashboard(this.siteId, { name, isShared, tiles: [] });
    await this.loadList();
    return id;
  }

  async delete(id: string): Promise<void> {
    await client.views.delete(this.siteId, id);
    this.current = undefined;
    await this.loadList();
  }
}

export function tilesOf(view: SavedView | undefined): Tiles {
  return view !== undefined && "tiles" in view.content ? view.content.tiles : [];
}

export async function listDashboards(siteId: string): Promise<readonly ViewHead[]> {
  return await Array.fromAsync(client.views.list.all(siteId, { "kind.in": ["dashboard"] }));
}

export async function createDashboard(
  siteId: string,
  {
    name,
    isShared,
    tiles,
  }: { readonly name: string; readonly isShared: boolean; readonly tiles: readonly DashboardTile[] },
): Promise<string> {
  const body = { kind: "dashboard", name, is_shared: isShared, content: { tiles: [...tiles] } } as const;
  return (await client.views.create(siteId, body)).view.id;
}

/** Somebody else may change the dashboard at the same moment: then it is read again, and the tile added to what is there. */
export async function pinTo(siteId: string, id: string, pin: Pin): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { view } = await client.views.get(siteId, id);
    try {
      const tiles = [...addTile(tilesOf(view), pin)];
      await client.views.update(siteId, id, { revision: view.revision, content: { tiles } });
      return;
    } catch (error) {
      if (attempt >= 3 || !(error instanceof ApiError) || error.code !== "conflict") throw error;
    }
  }
}
